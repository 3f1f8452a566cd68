"""What the exit code of every door means."""

from enum import IntEnum


class Exit(IntEnum):
    """0 all accepted; 1 something refused; 2 wrong call or unreadable input; 3 a fault of ovnguard or its backends."""

    OK = 0
    INVALID = 1
    USAGE = 2
    INTERNAL = 3
