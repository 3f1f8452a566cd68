"""What can go wrong when a plan is applied, by what the caller does about it.

StoreError                  the text is for the user
+-- StoreUnavailableError   nobody answered, or the answer never came: try again later
+-- TransactionRacedError   somebody else was faster: read again, plan again, at once
+-- TransactionRefusedError the database says no and will say so again: a fault of the plan
+-- TransactionTooLargeError one network's rows alone are more than a transaction may have
+-- StoreLockedError        another reconciler keeps this database: only one may
+-- SchemaTooOldError       the database or its server is older than what a plan needs
+-- StoreCorruptError       files that are not, or are no longer, what a store writes
+-- StoreUnusableError      files or folders that cannot be what the caller named them for
+-- FrrRefusedError         FRR does not take the configuration
"""

import errno
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
    """Something a store was asked to do did not happen; the text says what, where, and what to do."""


class StoreUnavailableError(StoreError):
    """The other side is not there, or went away: whether a transaction that was under way happened is not known."""


class TransactionRacedError(StoreError):
    """Rows are no longer what was read. Nothing was changed."""


class TransactionRefusedError(StoreError):
    """The database refused the transaction for good. Nothing was changed."""


class TransactionTooLargeError(StoreError):
    """The rows of one network do not fit into a transaction, and half a network must never exist."""


class StoreLockedError(StoreError):
    """Another process holds the database's lock. Nothing was changed."""


class SchemaTooOldError(StoreError):
    """A table, a column or a feature of the server is missing."""


class StoreCorruptError(StoreError):
    """A file of a file-backed store cannot be used."""


class StoreUnusableError(StoreError):
    """A file or folder is of the wrong kind, or may not be read or written."""


class FrrRefusedError(StoreError):
    """FRR found the configuration wrong, or did not load it."""


def file_error(error: OSError, path: Path) -> StoreError:
    """Return what an OSError about ``path``, or about a file that it names itself, means to the caller."""
    kind = StoreUnusableError if error.errno in _UNUSABLE else StoreError
    return kind(f"{error.filename or path}: {error.strerror}")
