"""The checks of docs/releasing.md: `python -m tests.support.release.checklist` runs the command of each."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.paths import ROOT
from tests.support.release.unset import unset

PAGE: Final = ROOT / "docs" / "releasing.md"
_ROW: Final = re.compile(r"^\| ([^|\n]+) \| `([^`\n]+)` \|$", re.MULTILINE)


class Check(NamedTuple):
    """What must hold, and the command that fails where it does not."""

    claim: str
    command: str


def checks(page: str) -> list[Check]:
    """The checks that a page lists."""
    return [Check(*row) for row in _ROW.findall(page)]


def failed(listed: Iterable[Check], folder: Path = ROOT) -> list[Check]:
    """Run the command of each check in a folder, print its result, and return those that fail with what they print."""
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    # compiled tests are kept, as by the targets of the Makefile
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": ""}
    failures = []
    for check in listed:
        words = shlex.split(check.command)
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        print(f"{'ok' if done.returncode == 0 else 'FAILED':7} {check.claim}", flush=True)
        if done.returncode:
            print(f"{done.stdout}{done.stderr}$ {check.command}: exit code {done.returncode}", flush=True)
            failures.append(check)
    return failures


def main() -> int:
    """Run all checks, then name what is not set."""
    failures = failed(checks(PAGE.read_text(encoding="utf-8")))
    for each in unset():
        print(f"not set: {each}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
