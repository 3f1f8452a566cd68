"""FRR's configuration on a node: checked, replaced atomically and loaded, only when it differs.

``vtysh -C -f FILE`` finds unknown syntax but not everything that FRR refuses on loading, so the reload command's exit
code counts too. The first line of a file is ovnguard's mark, a comment for FRR; a file without it belongs to somebody
else and stays. A note next to the file contains the digest of the written text, so that "no configuration" removes only
what ovnguard wrote, and records across restarts whether a reload is pending.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reconciler.apply.store_errors import FrrForeignError, FrrRefusedError, file_error
from validators.base import atomic_file

MARK: Final = "! Written by ovnguard-reconciler, which replaces this file.\n"
"""The first line of every file; FRR ignores it, and drops it when it writes the file itself."""
CHECK_TIMEOUT: Final = 30.0
RELOAD_TIMEOUT: Final = 120.0
_SHOWN: Final = 400
_DUE: Final = "reload due"


class FrrFile:
    """One frr.conf. ``reload`` is the command (and its arguments) that makes FRR load it; empty means no reload."""

    def __init__(self, path: Path, reload: Sequence[str] = (), vtysh: str = "vtysh") -> None:
        self._path = path
        self._reload = tuple(reload)
        self._vtysh = vtysh
        self._note = path.with_name(f".{path.name}.ovnguard")

    def write(self, text: str) -> bool:
        """Write ``text`` to the file and reload FRR; return whether anything changed.

        Raises FrrForeignError for a file that is neither empty nor ovnguard's, and for what is not a regular file;
        FrrRefusedError when FRR refuses the text (the file is unchanged when the check already refused it), and
        StoreError when it cannot be written.
        """
        try:
            return self._bring(f"{MARK}{text}" if text else "")
        except OSError as error:
            raise file_error(error, self._path) from error

    def _bring(self, text: str) -> bool:
        if self._path.exists() and not self._path.is_file():
            # A pipe would block, and a device such as /dev/null would be replaced for the whole machine.
            raise FrrForeignError(f"{self._path}: is not a regular file")
        current, (digest, *due) = _text_of(self._path), _text_of(self._note).split("\n")
        if not text and digest != _digest(current):
            return False
        changed = current != text
        if changed:
            if current.strip() and not current.startswith(MARK):
                reason = "its first line is not ovnguard's mark"
                raise FrrForeignError(f"{self._path}: is a configuration of somebody else ({reason}); move it away")
            self._replace(text)
        if not self._reload or not (changed or _DUE in due):
            return changed
        self._run(self._reload, RELOAD_TIMEOUT)
        self._write_note(_digest(text))
        return True

    def _replace(self, text: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in self._path.parent.glob(f"{atomic_file.TEMPORARY}*{self._path.name}*"):
            leftover.unlink(missing_ok=True)
        candidate = atomic_file.write_temporary(self._path, text.encode(), 0o640, durable=True)
        try:
            if self._reload and (vtysh := shutil.which(self._vtysh)):
                self._run((vtysh, "-C", "-f", str(candidate)), CHECK_TIMEOUT)
            self._write_note("\n".join([_digest(text), *([_DUE] if self._reload else [])]))
            candidate.replace(self._path)
        finally:
            candidate.unlink(missing_ok=True)
        atomic_file.sync_folder(self._path.parent)

    def _write_note(self, text: str) -> None:
        atomic_file.replace(self._note, text.encode(), 0o640, durable=True)

    def _run(self, command: Sequence[str], seconds: float) -> None:
        shown = " ".join(command[:2])
        try:
            # No shell: the words are the operator's own command line, or the vtysh call above.
            done = subprocess.run(  # noqa: S603 - nothing of a network reaches the command
                command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise FrrRefusedError(f"{self._path}: {shown} did not end within {seconds:g} s") from None
        except OSError as error:
            raise FrrRefusedError(f"{self._path}: {shown}: {error.strerror}") from None
        if done.returncode != 0:
            said = "; ".join((done.stderr.strip() or done.stdout.strip()).splitlines())[:_SHOWN]
            raise FrrRefusedError(f"{self._path}: {shown} ended with {done.returncode}: {said}")


def _text_of(path: Path) -> str:
    """The text of a file; a missing file counts as empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
