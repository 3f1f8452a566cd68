"""The formats of `-o`, and the files that reports are written to."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NamedTuple

FORMATS: Final = ("text", "json", "junit", "sarif", "tap", "github", "gitlab")
NAMES_ALL_OBJECTS: Final = frozenset(("junit", "tap"))
"""Formats that list accepted objects, too."""
_STANDARD_OUTPUT: Final = ("-", "/dev/stdout")


class Output(NamedTuple):
    """One report to write; an empty ``file`` is standard output."""

    format: str
    file: str = ""


class Unwritable(Exception):
    """A report could not be written; the message names the file and the reason."""


def outputs_of(values: Sequence[str]) -> tuple[Output, ...]:
    """Return the outputs that ``FORMAT`` and ``FORMAT=FILE`` mean; without one, text on standard output.

    Raises ValueError for an unknown format, and for two reports in one place.
    """
    found = tuple(_output(value) for value in values) or (Output("text"),)
    places: dict[str, str] = {}
    for each in found:
        # one file may have many names: other spellings, and links
        place = os.path.realpath(each.file) if each.file else ""
        if place in places:
            both = f"-o {places[place]} and -o {each.format}"
            if each.file:
                raise ValueError(f"{both} both write to {each.file}; give each its own file")
            raise ValueError(f"{both} both write to standard output; give one a file: -o {each.format}=FILE")
        places[place] = each.format
    return found


def _output(value: str) -> Output:
    name, equals, file = value.partition("=")
    if name not in FORMATS:
        close = get_close_matches(name, FORMATS, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; choose from {', '.join(FORMATS)}"
        raise ValueError(f"-o: {name!r} is not a format{hint}")
    if equals and not file:
        raise ValueError(f"-o {value}: name a file after the equals sign")
    return Output(name, "" if file in _STANDARD_OUTPUT else file)


def write(outputs: Sequence[Output], render: Callable[[str], str]) -> None:
    """Write every report that ``render`` returns for a format, files first; raise `Unwritable`.

    A file gets its name only when the report is complete.
    """
    for output in outputs:
        if output.file:
            _write_file(Path(output.file), render(output.format))
    for output in outputs:
        if not output.file:
            print_out(render(output.format))


def print_out(text: str) -> None:
    """Write a text to standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _write_file(path: Path, text: str) -> None:
    path = Path(os.path.realpath(path)) if path.is_symlink() and not _is_device(path) else path
    if _is_device(path) or (path.exists() and not path.is_file()):
        # a device or a pipe, such as /dev/stderr, has no complete file to rename
        _write_into(path, text)
        return
    import tempfile  # most reports go to standard output

    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
        name = ""
    except OSError as error:
        raise Unwritable(f"cannot write {path}: {error.strerror}") from None
    finally:
        # also after an interrupt
        if name:
            with suppress(OSError):
                Path(name).unlink()


def _is_device(path: Path) -> bool:
    """Whether a path is below /dev: a redirected /dev/stderr is a link to a regular file, which keeps its content."""
    return path.absolute().is_relative_to("/dev")


def _write_into(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(text)
    except OSError as error:
        raise Unwritable(f"cannot write {path}: {error.strerror}") from None
