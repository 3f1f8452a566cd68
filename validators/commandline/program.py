"""How every executable of ovnguard starts and ends: one line for a fault, a fixed meaning for each exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import click


class Exit(IntEnum):
    """0 all accepted; 1 something refused; 2 wrong call or unreadable input; 3 a fault of ovnguard or its backends."""

    OK = 0
    INVALID = 1
    USAGE = 2
    INTERNAL = 3


def run(command: "click.Command", name: str, args: Sequence[str] | None = None) -> NoReturn:
    """`finish` with a command of click on ``args`` (None: the process's own); a wrong call is exit code 2."""
    finish(partial(_clicked, command, name, args), name)


def finish(work: Callable[[], object], name: str) -> NoReturn:
    """Do the work of the executable ``name`` and exit with the code that it returns.

    Standard output that cannot be written to, and a fault of ours, are one line and exit code 3 (OVNGUARD_DEBUG=1 adds
    the traceback).
    """
    if _is_closed(sys.stdout):
        _no_output(name, "it is closed; redirect it to a file or to /dev/null")
    try:
        result = work()
        sys.stdout.flush()
        sys.exit(result if isinstance(result, int) else Exit.OK)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader left, as `| head` does; the interpreter must not complain about it at its own end.
        _silence_output()
        sys.exit(Exit.OK)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a user gets one line, not a traceback
        unwritten = _output_fault(error)
        if unwritten is not None:
            _silence_output()
            _no_output(name, unwritten.strerror or str(unwritten))
        if os.environ.get("OVNGUARD_DEBUG"):
            import traceback  # noqa: PLC0415 - heavy, and hardly ever wanted

            traceback.print_exc()
        tell(f"{name}: internal error: {type(error).__name__}: {error}; set OVNGUARD_DEBUG=1 for more")
        sys.exit(Exit.INTERNAL)


def tell(line: str) -> None:
    """Write a line on standard error, if there is one."""
    if not _is_closed(sys.stderr):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _clicked(command: "click.Command", name: str, args: Sequence[str] | None) -> object:
    import click  # noqa: PLC0415 - the preflight does without it

    try:
        return command.main(args, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except click.Abort:
        raise KeyboardInterrupt from None


def _is_closed(stream: object) -> bool:
    """Whether the process was started without this stream (``>&-``); Python has None in its place."""
    return stream is None


def _output_fault(error: Exception) -> OSError | None:
    """Why standard output takes no more, if that is what ``error``, which names no file, may stand for.

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


def _silence_output() -> None:
    """Let the interpreter drop what it still holds for standard output, without a complaint at its own end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _no_output(name: str, reason: str) -> NoReturn:
    tell(f"{name}: cannot write to standard output: {reason}")
    sys.exit(Exit.INTERNAL)
