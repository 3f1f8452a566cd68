"""Recognizes rule suites by their path. Imports nothing else, because every pytest run loads this module."""

import re
from pathlib import Path
from typing import Final

TESTS: Final = "tests"
_SAMPLES: Final = "testdata"
_LONGEST_LOOK: Final = 64 * 1024
_NAME: Final = re.compile(rb"""^["']?(?:crdName|policyName)["']?\s*:""", re.MULTILINE | re.IGNORECASE)


def is_suite(file: Path) -> bool:
    """Whether a file is a suite: ``tests/NAME/*.yaml``. An unreadable file is not a suite.

    A CRD's name has a dot. In a folder without a dot in its name, the file must set crdName or policyName, since
    projects have many such folders under ``tests``.
    """
    folder = file.parent
    if file.suffix != ".yaml" or folder.parent.name != TESTS or folder.name == _SAMPLES:
        return False
    return "." in folder.name or says_name(file)


def says_name(file: Path) -> bool:
    """Whether the first 64 KiB of a file set crdName or policyName at the beginning of a line."""
    try:
        if not file.is_file():  # opening a named pipe would block
            return False
        with file.open("rb") as stream:
            return _NAME.search(stream.read(_LONGEST_LOOK)) is not None
    except OSError:
        return False
