"""Runs git on folders of tests, without the configuration of the user and of the machine."""

import os
import subprocess
from pathlib import Path
from typing import Final

_ENVIRONMENT: Final = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
_SETTINGS: Final = ("user.name=a", "user.email=a@example.com", "init.defaultBranch=main", "protocol.file.allow=always")


def git(folder: Path, *arguments: str, stdin: str = "", may_fail: bool = False) -> str:
    """Return what git prints when it reads ``stdin``."""
    settings = [word for each in _SETTINGS for word in ("-c", each)]
    command = ["git", "-C", str(folder), *settings, *arguments]
    env = {**os.environ, **_ENVIRONMENT}
    return subprocess.run(
        command, check=not may_fail, capture_output=True, text=True, input=stdin, env=env
    ).stdout.strip()
