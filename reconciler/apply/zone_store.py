"""The interface of the stores of one zone's rows, and the remotes of live ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ovnguard.reconciler.plan.rows.row import Operation, Row


class ZoneStore(Protocol):
    """The Northbound rows of one zone, in any backend."""

    def read(self) -> tuple[Row, ...]:
        """Return all of ovnguard's rows; raise StoreError when they cannot be read."""

    def apply(self, operations: Sequence[Operation]) -> None:
        """Apply all operations, which must be based on the latest `read`, or none; raise StoreError for none."""

    def close(self) -> None:
        """Close all connections and files."""


@runtime_checkable
class WatchedStore(ZoneStore, Protocol):
    """A store with change notices, which finds the few different rows without a full read."""

    def changed(self) -> frozenset[tuple[str, str]] | None:
        """Return table and UUID of rows changed by any writer since the last call; None when `read` is needed."""

    def reread(self, uuids: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
        """Return those of the rows with these tables and UUIDs that exist and are ovnguard's; `apply` then relies on
        them.
        """


@runtime_checkable
class SharedStore(ZoneStore, Protocol):
    """A store that other writers share."""

    def others(self) -> tuple[Row, ...]:
        """Return the rows of others that the latest `read` found, with all planned columns."""


@runtime_checkable
class WholeStore(ZoneStore, Protocol):
    """A store that shows the rows of all writers."""

    def read_everything(self) -> tuple[Row, ...]:
        """Return all rows with all columns; raise StoreError when they cannot be read."""


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """Key, certificate and CA for ssl: remotes. OVSDB's library keeps one such set per process."""

    key: Path
    certificate: Path
    ca: Path


def check_remote(remote: str, tls: TLSFiles | None) -> None:
    """Raise ValueError for an invalid remote, for ssl: without files, and for unreadable files.

    Several remotes, separated by commas, are the members of one cluster.
    """
    for member in remote.split(","):
        _check_member(member, tls)


def _check_member(remote: str, tls: TLSFiles | None) -> None:
    scheme, _, rest = remote.partition(":")
    if scheme not in ("unix", "tcp", "ssl") or not rest:
        raise ValueError(f"{remote!r} is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed")
    if scheme != "ssl":
        return
    if tls is None:
        raise ValueError(f"{remote!r} needs a private key, a certificate and a CA certificate")
    for path in (tls.key, tls.certificate, tls.ca):
        try:
            path.open("rb").close()
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from error
