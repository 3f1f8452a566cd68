"""Which files are rule suites, by where they lie; imports nothing, because every pytest asks."""

import re
from pathlib import Path
from typing import Final

TESTS: Final = "tests"
_SAMPLES: Final = "testdata"
_LONGEST_LOOK: Final = 64 * 1024
_CRD_NAME: Final = re.compile(rb"""^["']?crdName["']?\s*:""", re.MULTILINE | re.IGNORECASE)


def is_suite(file: Path) -> bool:
    """Whether a file is a suite: ``tests/CRDNAME/*.yaml``. A file that cannot be read is none.

    A CRD's name has a dot. In a folder without one, as projects have many under ``tests``, `says_crd_name` must hold.
    """
    folder = file.parent
    if file.suffix != ".yaml" or folder.parent.name != TESTS or folder.name == _SAMPLES:
        return False
    return "." in folder.name or says_crd_name(file)


def says_crd_name(file: Path) -> bool:
    """Whether the first 64 KiB of a file say crdName at the beginning of a line."""
    try:
        if not file.is_file():  # a named pipe would be waited for
            return False
        with file.open("rb") as stream:
            return _CRD_NAME.search(stream.read(_LONGEST_LOOK)) is not None
    except OSError:
        return False
