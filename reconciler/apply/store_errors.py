"""The errors of applying a plan, by the reaction of the caller.

StoreError                  the text is for the user
+-- StoreUnavailableError   no connection or no answer: try again later
+-- TransactionRacedError   another writer was faster: read and plan again at once
+-- TransactionRefusedError the database refuses and will refuse again: a fault of the plan
|   +-- NetworksRefusedError   it refuses some networks and accepted the others
+-- TransactionTooLargeError the rows of one network exceed the transaction limit
+-- StoreLockedError        another reconciler keeps this database: only one may
+-- SchemaTooOldError       the database or its server is older than what a plan needs
+-- StoreCorruptError       files that are not, or are no longer, what a store writes
+-- ClusteredDatabaseError  a file of one database for all nodes, not of a zone
+-- StoreUnusableError      files or folders that cannot be what the caller named them for
    +-- FrrForeignError     a configuration of FRR that ovnguard did not write
+-- FrrRefusedError         FRR does not take the configuration
"""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_UNUSABLE: Final = frozenset(
    (
        errno.EACCES,
        errno.EEXIST,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    )
)


class StoreError(Exception):
    """An operation of a store failed; the text names the operation, the place and the remedy."""


class StoreUnavailableError(StoreError):
    """The database is unreachable or the connection broke: it is unknown whether a pending transaction was applied."""


class TransactionRacedError(StoreError):
    """Rows changed after they were read. Nothing was written."""


class TransactionRefusedError(StoreError):
    """The database refused the transaction for good. Nothing was changed."""


class NetworksRefusedError(TransactionRefusedError):
    """The database refused the changes of some networks; those of all others were applied.

    ``refused``: the database's text about each of these networks, by name; '' for the rows that all networks share.
    """

    def __init__(self, remote: str, refused: Mapping[str, str]) -> None:
        texts = (f"{f'network {name}' if name else 'shared rows'}: {text}" for name, text in refused.items())
        super().__init__(f"{remote}: {'; '.join(texts)}")
        self.refused = refused


class TransactionTooLargeError(StoreError):
    """The rows of one network do not fit into a transaction, and half a network must never exist."""


class StoreLockedError(StoreError):
    """Another process holds the database's lock. Nothing was changed."""


class SchemaTooOldError(StoreError):
    """A table, a column or a feature of the server is missing."""


class StoreCorruptError(StoreError):
    """A file of a file-backed store cannot be used."""


class ClusteredDatabaseError(StoreError):
    """A database file of the central mode, before interconnect: one clustered database serves all nodes."""


class StoreUnusableError(StoreError):
    """A file or folder is of the wrong kind, or may not be read or written."""


class FrrForeignError(StoreUnusableError):
    """The file of FRR's configuration is neither empty nor ovnguard's, or no file. Nothing was written."""


class FrrRefusedError(StoreError):
    """FRR found the configuration wrong, or did not load it."""


def file_error(error: OSError, path: Path) -> StoreError:
    """Return the StoreError for an OSError about ``path``, or about the file that the error names."""
    kind = StoreUnusableError if error.errno in _UNUSABLE else StoreError
    return kind(f"{error.filename or path}: {error.strerror}")
