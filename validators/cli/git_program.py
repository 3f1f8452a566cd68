"""Starts git on a repository that somebody else may have written: only its references and objects count.

git reads the configuration of a repository, which names the format, and may name programs to run. What would run one of
them is overridden here. ``protocol.allow`` is not enough: ``protocol.file.allow`` of the repository precedes it.
``GIT_ALLOW_PROTOCOL`` precedes both, and so it also stops the lazy fetch of versions that do not know
``GIT_NO_LAZY_FETCH``. Sources: git(1), git-config(1); of git ``transport.c``, ``promisor-remote.c`` and ``wrapper.c``.
"""

import io
import os
import select
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from ovnguard.validators.commandline.search_path import absolute_search_path
from ovnguard.validators.manifest.sources import MAX_FILE_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SECONDS: Final = 60.0
"""How long one git may keep its reader waiting, in total."""
_MAX_ERROR_BYTES: Final = 1 << 16
_SETTINGS: Final = {
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "fetch.bundleURI": "",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.attributesFile": os.devnull,
    "core.useReplaceRefs": "false",
    "core.deltaBaseCacheLimit": str(MAX_FILE_BYTES),
    "diff.external": "",
}
_VARIABLES: Final = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
    **{f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(_SETTINGS)},
    **{f"GIT_CONFIG_VALUE_{number}": value for number, value in enumerate(_SETTINGS.values())},
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    # of a delta, git unpacks the base first, which may be any size
    "GIT_ALLOC_LIMIT": str(2 * MAX_FILE_BYTES),
}


class BadRevision(Exception):
    """A revision cannot be read; the message says why."""


class GitFailed(BadRevision):
    """git ended with ``code``; the message is the last line of its errors."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def for_repository(root: Path, directory: Path) -> dict[str, str]:
    """Return the environment of a git that reads the repository in ``directory``, whose work tree is ``root``."""
    return {**_not_of_git(), **_VARIABLES, "GIT_DIR": str(directory), "GIT_WORK_TREE": str(root)}


def for_configuration() -> dict[str, str]:
    """Return the environment of a git that reads the configuration of the user and the system, of no repository."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG_")}
    return {**_not_of_git(), **variables, "GIT_DIR": os.devnull}


def _not_of_git() -> dict[str, str]:
    """The environment without git's own variables: those of a hook name the repository of the commit."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "PATH": absolute_search_path()}


@contextmanager
def running(
    environment: Mapping[str, str], *arguments: str, stdin: IO[bytes] | int = subprocess.DEVNULL
) -> Iterator[io.BufferedReader]:
    """Start git and return what it prints. git ends with the block, at once if the block raises.

    Raises GitFailed, and BadRevision where there is no git or it takes too long.
    """
    command, pipe = ["git", *arguments], subprocess.PIPE
    try:
        child = subprocess.Popen(command, 0, None, stdin, pipe, pipe, env=environment, cwd="/")  # noqa: S603 - no shell
    except FileNotFoundError:
        raise BadRevision("git: the program is not installed; --old git:REV needs it") from None
    except OSError as error:
        raise BadRevision(f"git: {error.strerror}") from None
    assert child.stdout is not None
    assert child.stderr is not None
    with child:
        try:
            yield io.BufferedReader(_InTime(child.stdout.fileno(), arguments[0]))
        except BaseException:
            child.kill()
            raise
        child.stdout.close()
        errors = child.stderr.read(_MAX_ERROR_BYTES).decode(errors="replace").strip().splitlines()
    if child.returncode:
        reason = errors[-1].removeprefix("fatal: ") if errors else f"{arguments[0]} failed"
        raise GitFailed(child.returncode, f"git: {reason}")


class _InTime(io.RawIOBase):
    """The output of the git command ``name``; raises BadRevision when all waiting for it takes too long."""

    def __init__(self, descriptor: int, name: str) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._name = name
        self._left = SECONDS
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` asks for."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read what there is, at least one byte before the end."""
        before = time.monotonic()
        ready = self._poll.poll(max(self._left, 0) * 1000)
        self._left -= time.monotonic() - before
        if not ready:
            raise BadRevision(f"git: {self._name} took longer than {SECONDS:g} s")
        return os.readv(self._descriptor, [buffer])
