"""Runs of ovnguard-reconciler in this process, and manifests for them."""

from dataclasses import dataclass

import click
from click.testing import CliRunner

from reconciler.cli import reconciler
from tests.support.paths import ROOT

VALID, INVALID, NODES = (str(ROOT / "deploy/examples" / name) for name in ("valid", "invalid", "nodes"))


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def run(*args: object, stdin: str | None = None) -> Outcome:
    """What the executable would do with these arguments."""
    result = CliRunner().invoke(reconciler, [str(arg) for arg in args], input=stdin, standalone_mode=False)
    if isinstance(result.exception, click.ClickException):
        return Outcome(2, result.stdout, result.exception.format_message())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.return_value or 0, result.stdout, result.stderr)
