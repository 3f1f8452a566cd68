"""What every command line needs of a terminal: colour by choice, and progress on standard error."""

import os
import sys
import time
from collections.abc import Callable
from typing import Final

from validators.commandline.program import tell

COLOURS: Final = ("auto", "always", "never")
_SECONDS: Final = 2.0


def use_colour(choice: str) -> bool:
    """Whether standard output gets ANSI colours; ``auto`` follows the terminal, NO_COLOR and TERM."""
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


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
