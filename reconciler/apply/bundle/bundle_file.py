"""Writes a bundle: a .tar.gz in the layout of a must-gather, and one file that says what it is.

A file that is not finished never has the name that the user gave: it is written next to it, and renamed at the end.
"""

import gzip
import io
import json
import os
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any, Final

from ovnguard.reconciler.apply.store_errors import file_error
from ovnguard.validators.base.json_types import JsonObject

STDOUT: Final = "-"
_LEVEL: Final = 6


class BundleFile:
    """A bundle on its way into ``stream``; every file in it is of ``seconds`` since 1970."""

    def __init__(self, stream: IO[bytes], seconds: float) -> None:
        self._seconds = int(seconds)
        self._gzip = gzip.GzipFile(fileobj=stream, mode="wb", filename="", compresslevel=_LEVEL, mtime=self._seconds)
        self._tar = tarfile.TarFile(fileobj=self._gzip, mode="w")

    def add(self, name: str, value: JsonObject) -> None:
        """Add a file with a JSON value."""
        data = json.dumps(value, separators=(",", ":")).encode()
        self.copy(name, io.BytesIO(data), len(data))

    def add_objects(self, place: str, items: list[Any]) -> None:
        """Add a file with a list of objects."""
        self.add(place, {"apiVersion": "v1", "kind": "List", "items": items})

    def copy(self, name: str, content: IO[bytes], size: int) -> None:
        """Add a file with ``size`` bytes of ``content``."""
        info = tarfile.TarInfo(name)
        info.size, info.mtime = size, self._seconds
        self._tar.addfile(info, content)

    def finish(self) -> None:
        """Write what is left."""
        self._tar.close()
        self._gzip.close()


@contextmanager
def bundle_file(target: str, seconds: float) -> Iterator[BundleFile]:
    """Yield the bundle that becomes the file ``target``, `STDOUT` for standard output.

    After an exception, there is no file. Raises StoreError for a file that cannot be written.
    """
    if target == STDOUT:
        bundle = BundleFile(sys.stdout.buffer, seconds)
        yield bundle
        bundle.finish()
        return
    path = Path(target)
    try:
        handle, unfinished = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        # the error may name the unfinished file
        raise file_error(OSError(error.errno, error.strerror), path) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            bundle = BundleFile(stream, seconds)
            yield bundle
            bundle.finish()
        Path(unfinished).replace(path)
    except OSError as error:
        raise file_error(OSError(error.errno, error.strerror), path) from None
    finally:
        Path(unfinished).unlink(missing_ok=True)
