"""How many files, and so connections, a process may have open."""

import resource
import sys
from typing import Final

OTHER_FILES: Final = 400
"""File descriptors of a process besides its connections."""


def limit_of_files() -> int:
    """Return how many files this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def allow_files(wanted: int) -> None:
    """Raise the soft limit of open files to ``wanted``, as far as the hard limit goes."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if limit_of_files() < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
