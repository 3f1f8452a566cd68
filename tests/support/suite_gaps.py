"""``python -m tests.support.suite_gaps [WORD...]``: list what suites and cases do not show, one line each.

A WORD keeps the definitions whose path holds it, as ``released/`` or ``networks``. The exit code is 1 if there are any.
"""

import sys
from pathlib import Path
from typing import Final

import yaml

from ovnguard.validators.bundled.rule_ids import cases
from tests.support import schema_case_files
from tests.support.suite_coverage import cover, definitions

UNREACHABLE: Final[list[dict[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("unreachable.yaml").read_text(encoding="utf-8")
)


def open_gaps(path: str) -> list[str]:
    """What is not met of one definition, but for what cannot be; what is said to be no gap and is none, too."""
    found = list(cover(path).gaps())
    hopeless = [entry["gap"] for entry in UNREACHABLE if entry["gap"].startswith(f"{path}: ")]
    idle = [f"{gap}: is met, yet stands in unreachable.yaml" for gap in hopeless if not _holds(found, gap)]
    return [line for line in found if not line.startswith(tuple(hopeless))] + idle


def _holds(lines: list[str], start: str) -> bool:
    return any(line.startswith(start) for line in lines)


def gaps(words: list[str]) -> list[str]:
    wanted = [path for path in definitions() if not words or any(word in path for word in words)]
    found = [line for path in wanted for line in open_gaps(path)]
    nameless = schema_case_files.nameless()
    found += [line for line in nameless if any(line.startswith(path) for path in wanted)]
    return found + [line for entry in cases() for line in schema_case_files.wrong(entry) if not words]


if __name__ == "__main__":
    found = gaps(sys.argv[1:])
    print("\n".join([*found, f"{len(found)} gaps"]))
    sys.exit(bool(found))
