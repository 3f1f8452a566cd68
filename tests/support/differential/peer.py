"""The real validation code of the API server as a child process: one JSON request a line, one verdict a line.

`python -m tests.support.differential.peer` builds the program into the user's cache, where its source is
next to the checkout and there is a `go`; `make test` does so before the tests.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.paths import ROOT

VARIABLE = "OVNGUARD_PEER"
PROGRAM = "apiserver-verdict"
SOURCE = ROOT.parent / "shared" / "peers" / PROGRAM
BUILD_SECONDS = 1200


def find() -> Path | None:
    """The program: $OVNGUARD_PEER, else on the path, else as `build` left it; None where there is none."""
    named = os.environ.get(VARIABLE) or shutil.which(PROGRAM)
    found = Path(named) if named else _built()
    return found if found.is_file() else None


def build() -> Path | None:
    """The program, built anew when its source is newer; None where there is no source or no `go`."""
    go = shutil.which("go")
    if os.environ.get(VARIABLE) or go is None or not (SOURCE / "go.mod").is_file():
        return find()
    program = _built()
    newest = max(file.stat().st_mtime for file in SOURCE.iterdir())
    if not program.is_file() or program.stat().st_mtime < newest:
        print(f"building {PROGRAM}, once, in a few minutes ...", file=sys.stderr, flush=True)
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            copy = Path(folder) / "source"
            shutil.copytree(SOURCE, copy, copy_function=shutil.copyfile)
            made = Path(folder) / PROGRAM
            for command in ([go, "mod", "tidy"], [go, "build", "-o", str(made), "."]):
                subprocess.run(command, cwd=copy, check=True, timeout=BUILD_SECONDS, capture_output=True)
            made.replace(program)
    return program


def _built() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ovnguard" / "peers" / PROGRAM


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


if __name__ == "__main__":
    try:
        build()
    except (OSError, subprocess.SubprocessError) as error:
        # The tests that need it then skip with a reason.
        print(f"{PROGRAM} cannot be built: {error}", file=sys.stderr)
