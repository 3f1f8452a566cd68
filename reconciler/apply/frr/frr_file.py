"""FRR's configuration on a node: checked, replaced atomically and loaded, only when it differs.

``vtysh -C -f FILE`` finds unknown syntax but not everything that FRR refuses on loading, so what FRR runs afterwards
counts too. The first line of a file is ovnguard's mark, a comment for FRR; a file without it belongs to somebody else
and stays. A note next to the file contains the digest of the written text, so that "no configuration" removes only what
ovnguard wrote, and records across restarts whether a reload is pending. ``FILE.previous`` is the last configuration
that FRR loaded completely before this one.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.frr.frr_reload import Reload
from ovnguard.reconciler.apply.store_errors import FrrForeignError, FrrRefusedError, file_error
from ovnguard.validators.base import atomic_file
from ovnguard.validators.network.frr.frr_secrets import HIDDEN

MARK: Final = "! Written by ovnguard-reconciler, which replaces this file.\n"
"""The first line of every file; FRR ignores it, and drops it when it writes the file itself."""
_DUE: Final = "reload due"


class FrrFile:
    """One frr.conf. ``reload`` makes FRR run it, None leaves that to others; ``check`` raises for wrong syntax."""

    def __init__(
        self, path: Path, reload: Reload | None = None, check: Callable[[Path], None] = lambda _: None
    ) -> None:
        self._path = path
        self._reload = reload
        self._check = check
        self._note = path.with_name(f".{path.name}.ovnguard")
        self._previous = path.with_name(f"{path.name}.previous")

    def write(self, text: str) -> bool:
        """Write ``text`` to the file and make FRR run it; return whether anything changed.

        Without a change, it compares what FRR runs, and repairs it. Raises FrrForeignError for a file that is neither
        empty nor ovnguard's, and for what is not a regular file; FrrRefusedError when FRR refuses the text (the file is
        unchanged when the check already refused it), and StoreError when it cannot be written.
        """
        if HIDDEN in text:
            raise FrrRefusedError(f"{self._path}: a password of the configuration is hidden or unknown")
        try:
            return self._bring(f"{MARK}{text}" if text else "")
        except FrrRefusedError as error:
            raise FrrRefusedError(f"{self._path}: {error}") from error
        except OSError as error:
            raise file_error(error, self._path) from error

    def read(self) -> str:
        """Return ovnguard's present text, with its passwords; '' for none, and for what `write` refuses."""
        try:
            text = _text_of(self._path) if self._path.is_file() else ""
        except OSError:
            return ""
        return text.removeprefix(MARK) if text.startswith(MARK) else ""

    def _bring(self, text: str) -> bool:
        if self._path.exists() and not self._path.is_file():
            # A pipe would block, and a device such as /dev/null would be replaced for the whole machine.
            raise FrrForeignError(f"{self._path}: is not a regular file")
        current, (digest, *due) = _text_of(self._path), _text_of(self._note).split("\n")
        if not text and digest != _digest(current):
            return False
        changed, pending = current != text, _DUE in due
        if changed:
            if current.strip() and not current.startswith(MARK):
                reason = "its first line is not ovnguard's mark"
                raise FrrForeignError(f"{self._path}: is a configuration of somebody else ({reason}); move it away")
            self._replace(text, None if pending else current)
        if self._reload is None or not (changed or pending or (text and self._reload.reads_back)):
            return changed
        loaded = self._reload(text, f"{_text_of(self._previous)}\n{current}")
        if changed or pending:
            self._write_note(_digest(text))
        return changed or pending or loaded

    def _replace(self, text: str, loaded: str | None) -> None:
        """Replace the file; ``loaded`` is what FRR runs completely, if it does."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in self._path.parent.glob(f"{atomic_file.TEMPORARY}*{self._path.name}*"):
            leftover.unlink(missing_ok=True)
        candidate = atomic_file.write_temporary(self._path, text.encode(), 0o640, durable=True)
        try:
            if text:
                self._check(candidate)
            if loaded:
                atomic_file.replace(self._previous, loaded.encode(), 0o640, durable=True)
            self._write_note("\n".join([_digest(text), *([_DUE] if self._reload is not None else [])]))
            candidate.replace(self._path)
        finally:
            candidate.unlink(missing_ok=True)
        atomic_file.sync_folder(self._path.parent)

    def _write_note(self, text: str) -> None:
        atomic_file.replace(self._note, text.encode(), 0o640, durable=True)


def _text_of(path: Path) -> str:
    """The text of a file; a missing file counts as empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
