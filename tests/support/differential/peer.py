"""The real validation code of the API server as a child process: one JSON request a line, one JSON verdict a line.

`python -m tests.support.differential.peer [1.NN ...]` builds the program into the user's cache, where its source is
next to the checkout and there is a `go`: that of Kubernetes 1.35, or those of the named releases. `make test` does the
first, `make conformance-releases` the second.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from ovnguard.validators.base.field import minor
from tests.support.paths import ROOT

VARIABLE = "OVNGUARD_PEER"
PROGRAM = "apiserver-verdict"
SOURCE = ROOT.parent / "shared" / "peers" / PROGRAM
BUILD_SECONDS = 1200
RELEASES: Final[Mapping[str, str]] = {
    "1.29": "v0.29.6",
    "1.30": "v0.30.14",
    "1.31": "v0.31.14",
    "1.32": "v0.32.13",
    "1.33": "v0.33.13",
    "1.34": "v0.34.13",
    "1.36": "v0.36.6",
    "1.37": "v0.37.2",
}
"""The version of the Kubernetes modules for each release but 1.35, which the source itself names."""
_SELECTABLE_FIELDS_SINCE: Final = 30
_STATUS_RATCHETS_SINCE: Final = 33
_MODULES: Final = re.compile(r"(k8s\.io/(?:apiextensions-apiserver|apimachinery|apiserver)) v[0-9.]+")
_REQUIRED: Final = re.compile(r"\nrequire \(.*?\n\)\n", re.DOTALL)


def find(release: str = "") -> Path | None:
    """The program: $OVNGUARD_PEER, else on the path, else as `build` left it; None where there is none.

    That of a ``release`` is only where `build` left it.
    """
    named = "" if release else os.environ.get(VARIABLE) or shutil.which(PROGRAM)
    found = Path(named) if named else _built(release)
    return found if found.is_file() else None


def build(release: str = "") -> Path | None:
    """The program, built anew when its source is newer; None where there is no source or no `go`."""
    go = shutil.which("go")
    if (os.environ.get(VARIABLE) and not release) or go is None or not (SOURCE / "go.mod").is_file():
        return find(release)
    program = _built(release)
    newest = max(file.stat().st_mtime for file in SOURCE.iterdir())
    if not program.is_file() or program.stat().st_mtime < newest:
        print(f"building {program.name}, once, in a few minutes ...", file=sys.stderr, flush=True)
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            copy = Path(folder) / "source"
            shutil.copytree(SOURCE, copy, copy_function=shutil.copyfile)
            if release:
                module = copy / "go.mod"
                module.write_text(of_release(module.read_text(encoding="utf-8"), RELEASES[release]), encoding="utf-8")
                for name, now, before in _of_older(release):
                    source = copy / name
                    text = source.read_text(encoding="utf-8")
                    assert now in text, f"{name} has no {now}"
                    source.write_text(text.replace(now, before), encoding="utf-8")
            made = Path(folder) / PROGRAM
            for command in ([go, "mod", "tidy"], [go, "build", "-o", str(made), "."]):
                subprocess.run(command, cwd=copy, check=True, timeout=BUILD_SECONDS, capture_output=True)
            made.replace(program)
    return program


def _of_older(release: str) -> list[tuple[str, str, str]]:
    """What the source of an older release has instead of the shared one: file, text, text of the release."""
    number = minor(release)
    made = []
    if number < _SELECTABLE_FIELDS_SINCE:
        made.append(("crd.go", ", declared.SelectableFields)", ")"))
    if number < _STATUS_RATCHETS_SINCE:
        # Costs are measured with ratcheting, whose warnings these servers do not give for every request.
        made.append(("verdict.go", "rules.Validate(t.ctx, nil, ", "rules.Validate(context.Background(), nil, "))
    return made


def of_release(module: str, version: str) -> str:
    """Return a go.mod for another version of Kubernetes; what that requires in turn is left to `go mod tidy`."""
    first, *_ = _REQUIRED.findall(module)
    return _REQUIRED.sub("", module) + _MODULES.sub(rf"\1 {version}", first)


def _built(release: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ovnguard" / "peers" / (f"{PROGRAM}-{release}" if release else PROGRAM)


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
        self._child.wait(timeout=60)


def main(releases: Sequence[str]) -> int:
    """Build the programs; the exit code is 1 if one of a named release cannot be built."""
    failed = 0
    for release in releases or [""]:
        try:
            missing = build(release) is None
            reason = "no source next to the checkout, or no go"
        except subprocess.CalledProcessError as error:
            missing, reason = True, error.stderr.decode(errors="replace").strip()[-300:]
        except (OSError, subprocess.SubprocessError) as error:
            missing, reason = True, str(error)
        if missing:
            # The tests that need it then skip with a reason.
            print(f"{PROGRAM} {release} cannot be built: {reason}", file=sys.stderr)
            failed += bool(release)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
