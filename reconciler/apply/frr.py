"""FRR's configuration on a node: checked, replaced whole, loaded, and only when it differs.

``vtysh -C -f FILE`` finds unknown syntax but not everything that FRR refuses on loading, so the reload command's
exit code counts too. Whether a reload is still due stands in a file, so that it survives the end of this process.
"""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reconciler.apply import atomic
from reconciler.apply.errors import FrrRefusedError, StoreError

CHECK_TIMEOUT: Final = 30.0
RELOAD_TIMEOUT: Final = 120.0
_SHOWN: Final = 400


class FrrFile:
    """One frr.conf. ``reload`` is the command (and its arguments) that makes FRR load it; none is run when empty."""

    def __init__(self, path: Path, reload: Sequence[str] = (), vtysh: str = "vtysh") -> None:
        self._path = path
        self._reload = tuple(reload)
        self._vtysh = vtysh
        self._due = path.with_name(f".{path.name}.reload-due")

    def write(self, text: str) -> bool:
        """Bring the file to ``text`` and FRR to the file; return whether anything had to be done.

        Raises FrrRefusedError when FRR finds fault (the file stays as it was, if the check already found it) and
        StoreError when the file cannot be written.
        """
        try:
            changed = self._current() != text
            if changed:
                self._replace(text)
            if not self._reload or not (changed or self._due.exists()):
                return changed
            self._run(self._reload, RELOAD_TIMEOUT)
            atomic.remove(self._due)
        except OSError as error:
            raise StoreError(f"{error.filename or self._path}: {error.strerror}") from error
        return True

    def _current(self) -> str:
        """The text of the file; no file is as good as an empty one."""
        try:
            return self._path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def _replace(self, text: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in self._path.parent.glob(f"{atomic.TEMPORARY}{self._path.name}-*"):
            leftover.unlink(missing_ok=True)
        candidate = atomic.write_beside(self._path, text)
        try:
            if self._reload and (vtysh := shutil.which(self._vtysh)):
                self._run((vtysh, "-C", "-f", str(candidate)), CHECK_TIMEOUT)
            if self._reload:
                atomic.write(self._due, "")
            candidate.replace(self._path)
        finally:
            candidate.unlink(missing_ok=True)
        atomic.sync_folder(self._path.parent)

    def _run(self, command: Sequence[str], seconds: float) -> None:
        shown = " ".join(command[:2])
        try:
            # No shell, and the words are the operator's own command line, or our vtysh call.
            done = subprocess.run(  # noqa: S603 - nothing of a network reaches the command
                command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise FrrRefusedError(f"{self._path}: {shown} did not end within {seconds:g} s") from None
        except OSError as error:
            raise FrrRefusedError(f"{self._path}: {shown}: {error.strerror}") from None
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip())[:_SHOWN]
            raise FrrRefusedError(f"{self._path}: {shown} ended with {done.returncode}: {said}")
