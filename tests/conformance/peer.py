"""The real validation code of the API server as a child process: one JSON request a line, one verdict a line."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

VARIABLE = "OVNGUARD_PEER"


def find() -> Path | None:
    """The program: $OVNGUARD_PEER, else `apiserver-verdict` on the path; None where there is none."""
    found = os.environ.get(VARIABLE) or shutil.which("apiserver-verdict")
    return Path(found) if found and Path(found).is_file() else None


class Peer:
    """A running program. Use it as a context manager: leaving ends it."""

    def __init__(self, program: Path) -> None:
        self._child = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request, one verdict. Raises RuntimeError if the program cannot judge it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(request, separators=(",", ":"), sort_keys=True) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"the peer ended with {self._child.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.wait(timeout=10)
