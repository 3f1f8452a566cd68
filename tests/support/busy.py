"""``python -m tests.support.busy COUNT COMMAND...``: run a command next to COUNT loops that each load one processor."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Whatever ends this process ends the loops, too.
_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    pass
"""


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Load ``count`` processors while the context lasts."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", _LOOP]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main(count: int, command: list[str]) -> int:
    with busy(count):
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
