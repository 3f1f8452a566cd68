"""The files in a folder or in a tar archive, in order, without unpacking: no name in an archive becomes a path here.

A hostile or damaged archive ends in one StoreError, after a bounded amount of memory and bytes.
"""

import gzip
import io
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.apply.files.ovsdb_file import PIECE, ByteStream
from ovnguard.reconciler.apply.store_errors import StoreCorruptError, StoreUnusableError, file_error

# What a cluster of 500 nodes and 1,000 networks needs, several times.
MAX_BYTES: Final = 1 << 40
# Their names stay in memory, about a kilobyte each.
MAX_FILES: Final = 250_000
# Beyond a block of data, a tar archive only has names and attributes, which are read at once.
_MAX_READ: Final = 64 << 20
# gzip makes zeros a thousand times smaller, the rows of a large cluster fifty times.
_MAX_RATIO: Final = 400
_GZIP: Final = b"\x1f\x8b"


class ArchiveFile(NamedTuple):
    """A regular file: its name below the root of the archive, its content, and when it was written, in seconds since
    1970; 0 if that is unknown.

    The content is readable until the next file, in pieces of at most `PIECE` bytes.
    """

    name: str
    stream: ByteStream
    written: float = 0.0


def files_in(path: Path) -> Iterator[ArchiveFile]:
    """Yield the files of a folder or of a tar archive, compressed or not. Links and devices are left out.

    Raises StoreUnusableError for what is neither or cannot be opened, StoreCorruptError for a damaged archive.
    """
    if path.is_dir():
        yield from _files_in_folder(path)
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise StoreUnusableError(f"{path}: {error.strerror}") from None
    with stream:
        yield from files_in_tar(stream, str(path))


def files_in_tar(stream: Any, place: str) -> Iterator[ArchiveFile]:
    """Yield the files of a tar archive, compressed or not; ``place`` names it in errors."""
    with _one_error(place):
        buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        bounded = _Bounded(_decompressed(buffered), buffered, place)
        with tarfile.open(fileobj=bounded, mode="r:") as archive:
            for number, member in enumerate(archive):
                if number == MAX_FILES:
                    raise StoreCorruptError(f"{place}: more than {MAX_FILES} files")
                _check_name(member.name, place)
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None:
                    yield ArchiveFile(PurePosixPath(member.name).as_posix(), _Content(content, place), member.mtime)


def _files_in_folder(path: Path) -> Iterator[ArchiveFile]:
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_symlink() or not file.is_file():
                continue
            try:
                with file.open("rb") as stream:
                    yield ArchiveFile(file.relative_to(path).as_posix(), stream, file.stat().st_mtime)
            except OSError as error:
                raise file_error(error, file) from None


def _raise(error: OSError) -> None:
    raise file_error(error, Path(error.filename or ""))


def _check_name(name: str, place: str) -> None:
    if name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise StoreCorruptError(f"{place}: the file name {name!r:.200} leads out of the archive")


def _decompressed(buffered: Any) -> Any:
    """The stream behind gzip's header, if it has one."""
    return gzip.GzipFile(fileobj=buffered) if buffered.peek(2)[:2] == _GZIP else buffered


@contextmanager
def _one_error(place: str) -> Iterator[None]:
    """Turn whatever a damaged archive raises into one error."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError) as error:
        raise StoreCorruptError(f"{place}: is no tar archive, or is damaged: {error}") from None
    except OSError as error:
        raise StoreUnusableError(f"{place}: cannot be read: {error.strerror or error}") from None


class _Content:
    """A file in an archive, whose damage may show only when it is read."""

    def __init__(self, stream: ByteStream, place: str) -> None:
        self._stream, self._place = stream, place

    def read(self, size: int, /) -> bytes:
        with _one_error(self._place):
            return self._stream.read(size)

    def readline(self, size: int, /) -> bytes:
        with _one_error(self._place):
            return self._stream.readline(size)


class _Bounded(io.RawIOBase):
    """A stream that is read forwards, up to `MAX_BYTES`, and never more than `_MAX_READ` at a time."""

    def __init__(self, stream: Any, compressed: Any, place: str) -> None:
        self._stream, self._compressed, self._place, self._at = stream, compressed, place, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence != io.SEEK_SET or offset < self._at:
            raise tarfile.ReadError("its parts overlap")
        while self._at < offset:
            if not self.read(min(offset - self._at, PIECE)):
                raise tarfile.ReadError("unexpected end of data")
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= _MAX_READ:
            raise StoreCorruptError(f"{self._place}: a name or an attribute has more than {_MAX_READ >> 20} MiB")
        data: bytes = self._stream.read(size)
        self._at += len(data)
        if self._at > MAX_BYTES:
            raise StoreCorruptError(f"{self._place}: more than {MAX_BYTES >> 30} GiB")
        if self._at > max(_MAX_READ, _MAX_RATIO * self._compressed.tell()):
            raise StoreCorruptError(f"{self._place}: is more than {_MAX_RATIO} times as large as the compressed file")
        return data
