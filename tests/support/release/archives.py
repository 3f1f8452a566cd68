"""Archives whose bytes follow from their content alone, and the sums of files."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_FILE: Final = 0o644
_PROGRAM: Final = 0o755


def packed(files: Mapping[str, bytes], time: int, programs: Iterable[str] = ()) -> bytes:
    """A .tar.gz of files by their names, of one time and no owner; ``programs`` are those that can be executed."""
    plain, executable = io.BytesIO(), set(programs)
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), time, _PROGRAM if name in executable else _FILE
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0)


def read_folder(folder: Path, prefix: str) -> dict[str, bytes]:
    """The files of a folder by their names below it, each after a prefix."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {f"{prefix}{path.relative_to(folder)}": path.read_bytes() for path in found}


def sums(folder: Path) -> str:
    """The SHA-256 sums of the files of a folder and below it, as sha256sum prints and checks them."""
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    return "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in files)
