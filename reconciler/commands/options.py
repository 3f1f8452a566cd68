"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from reconciler.apply.zone_store import TLSFiles

_F = TypeVar("_F", bound=Callable[..., object])


class _Place(click.Path):
    """A path that must be named: an empty text would be the current folder."""

    name = "path"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("the name is empty; write . for the current folder", param, ctx)
        return Path(str(value))


PLACE = _Place()


def with_tls(command: _F) -> _F:
    """Add --nb-private-key, --nb-certificate and --nb-ca-cert, which `tls_files` takes."""
    for name, what in (("ca-cert", "CA certificate"), ("certificate", "Certificate"), ("private-key", "Private key")):
        command = click.option(f"--nb-{name}", type=PLACE, metavar="FILE", help=f"{what} for ssl: remotes.")(command)
    return command


def tls_files(key: Path | None, certificate: Path | None, ca: Path | None) -> TLSFiles | None:
    """Return the files, or None when none is named; raise click.UsageError when some are missing."""
    if key and certificate and ca:
        return TLSFiles(key, certificate, ca)
    if key or certificate or ca:
        raise click.UsageError("--nb-private-key, --nb-certificate and --nb-ca-cert belong together")
    return None
