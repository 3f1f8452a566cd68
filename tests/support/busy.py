"""``python -m tests.support.busy COUNT COMMAND...``: run a command next to COUNT loops that each load one processor."""

import subprocess
import sys

# Whatever ends this process ends the loops, too.
_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    pass
"""


def main(count: int, command: list[str]) -> int:
    loops = [subprocess.Popen([sys.executable, "-S", "-c", _LOOP]) for _ in range(count)]
    try:
        return subprocess.run(command, check=False).returncode
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
