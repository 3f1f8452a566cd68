"""What every command line needs of a terminal: colour by choice, and progress on standard error."""

import os
import sys
import time
from collections.abc import Callable
from typing import Final

from ovnguard.validators.commandline.program import tell

COLOURS: Final = ("auto", "always", "never")
_SECONDS: Final = 2.0


def use_colour(choice: str) -> bool:
    """Whether standard output gets ANSI colours.

    ``auto`` follows NO_COLOR, then FORCE_COLOR (no-color.org, force-color.org: values that are not empty), then the
    terminal and TERM.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def progress(noun: str) -> Callable[[int, int], None]:
    """Return a function of (done, total) that reports on standard error every two seconds."""
    last = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS and done < total:
            last = now
            tell(f"judged {done} of {total} {noun} ...")

    return report
