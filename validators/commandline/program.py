"""Start and end of every executable: one line for an internal error, one meaning per exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from difflib import get_close_matches
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, cast

from ovnguard.validators.commandline.search_path import absolute_search_path
from ovnguard.validators.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import click


_NO_CHOICE: Final = lazy_pattern(r"'(.*)' is not one of ")


class Exit(IntEnum):
    """0 all accepted; 1 something refused; 2 wrong call or unreadable input; 3 internal error or unusable backend; 4 a
    required schema is missing.
    """

    OK = 0
    INVALID = 1
    USAGE = 2
    INTERNAL = 3
    NO_SCHEMA = 4


def run(command: "click.Command", name: str, args: Sequence[str] | None = None) -> NoReturn:
    """Run a click command on ``args`` (None: those of the process), then `finish`; a wrong call exits with 2."""
    finish(partial(_clicked, command, name, args), name)


def finish(work: Callable[[], object], name: str) -> NoReturn:
    """Do the work of the executable ``name`` and exit with the code that it returns.

    No program that it or a library starts comes from a relative folder of PATH. An internal error, or standard output
    that cannot be written, is one line and exit code 3; OVNGUARD_DEBUG=1 adds the traceback. A reader that leaves, as
    ``| head`` does, changes nothing.
    """
    if _is_closed(sys.stdout):
        _no_output(name, "it is closed; redirect it to a file or to /dev/null")
    with redirect_stdout(_unread(sys.stdout)), redirect_stderr(_unread(sys.stderr)):
        _finish(work, name)


def _finish(work: Callable[[], object], name: str) -> NoReturn:
    os.environ["PATH"] = absolute_search_path()
    try:
        result = work()
        sys.stdout.flush()
        sys.exit(result if isinstance(result, int) else Exit.OK)
    except KeyboardInterrupt:
        tell(f"{name}: interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # bytes, which do not pass `_Unread`
        silence(sys.stdout)
        sys.exit(Exit.OK)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a user gets one line, not a traceback
        unwritten = _output_fault(error)
        if unwritten is not None:
            silence(sys.stdout)
            _no_output(name, unwritten.strerror or str(unwritten))
        if os.environ.get("OVNGUARD_DEBUG"):
            import traceback  # heavy, and hardly ever wanted

            traceback.print_exc()
        tell(f"{name}: internal error: {type(error).__name__}: {error}; set OVNGUARD_DEBUG=1 for more")
        sys.exit(Exit.INTERNAL)


def tell(line: str) -> None:
    """Write a line on standard error, if there is one."""
    if not _is_closed(sys.stderr):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _clicked(command: "click.Command", name: str, args: Sequence[str] | None) -> object:
    import click  # the preflight does without it

    try:
        return command.main(args, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        if meant := _meant(error):
            tell(meant)
        return Exit.USAGE
    except click.Abort:
        raise KeyboardInterrupt from None


def _meant(error: "click.ClickException") -> str:
    """The line about the choice that a misspelt value probably means, "" if nothing is similar."""
    import click

    choices = getattr(getattr(error, "param", None), "type", None)
    found = _NO_CHOICE.match(error.message)
    if not isinstance(error, click.BadParameter) or not isinstance(choices, click.Choice) or found is None:
        return ""
    close = get_close_matches(found[1], [str(each) for each in choices.choices], 1)
    return f"Did you mean {close[0]!r}?" if close else ""


def _is_closed(stream: object) -> bool:
    """Whether the process was started without this stream (``>&-``), for which Python has None."""
    return stream is None


def _output_fault(error: Exception) -> OSError | None:
    """Return why standard output cannot be written, if ``error``, which names no file, may mean that.

    Python forgets which stream failed, so one more line end is written: a stream that is in order loses nothing.
    """
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\n")
    except OSError as fault:
        return fault
    return None


class _Unread:
    """A standard stream that discards all text once its reader has left."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            silence(self._stream)
            return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            silence(self._stream)


def _unread(stream: TextIO) -> TextIO:
    return stream if _is_closed(stream) else cast("TextIO", _Unread(stream))


def silence(stream: TextIO) -> None:
    """Discard what a stream has buffered, so that the interpreter does not report it when it exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def _no_output(name: str, reason: str) -> NoReturn:
    tell(f"{name}: cannot write to standard output: {reason}")
    sys.exit(Exit.INTERNAL)
