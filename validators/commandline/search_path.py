"""The folders in which programs are looked for."""

import os
from pathlib import Path


def absolute_search_path() -> str:
    """Return PATH without its relative folders, and the system's own where nothing is left.

    ``.``, an empty element and any other relative folder name the working folder, which somebody else may have written.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if Path(each).is_absolute()) or os.defpath
