"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from reconciler.apply.store import TLSFiles

_F = TypeVar("_F", bound=Callable[..., object])
_FILE = click.Path(path_type=Path)


def with_tls(command: _F) -> _F:
    """Add --nb-private-key, --nb-certificate and --nb-ca-cert, which `tls_files` takes."""
    for name, what in (("ca-cert", "CA certificate"), ("certificate", "Certificate"), ("private-key", "Private key")):
        command = click.option(f"--nb-{name}", type=_FILE, metavar="FILE", help=f"{what} for ssl: remotes.")(command)
    return command


def tls_files(key: Path | None, certificate: Path | None, ca: Path | None) -> TLSFiles | None:
    """Return the files, or None when none is named; raise click.UsageError when some are missing."""
    if key and certificate and ca:
        return TLSFiles(key, certificate, ca)
    if key or certificate or ca:
        raise click.UsageError("--nb-private-key, --nb-certificate and --nb-ca-cert belong together")
    return None
