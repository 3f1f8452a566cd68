"""Where the tables of the grammar are kept between processes: the user's own cache folder, or nowhere.

The tables are a pickle, so a folder that anybody else can write to is not used.
"""

import os
import stat
from pathlib import Path


def cache_path(name: str) -> str | None:
    """A file in ``$XDG_CACHE_HOME/ovnguard`` (or ``~/.cache/ovnguard``); None if the folder is not the user's own."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        folder = Path(base).expanduser() / "ovnguard"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except (OSError, RuntimeError):
        return None
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if found.st_uid != os.getuid() or others or not os.access(folder, os.W_OK):
        return None
    return str(folder / name)
