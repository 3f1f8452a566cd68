"""Measure what imports inside functions save, and write docs/lazy-imports.md: `python -m tests.bench.lazy_imports`.

A new process makes the start that the file belongs to, then imports the module: the figure is the CPU time of that
import, the median of five processes. An import that saves less than `LEAST` belongs at the top of its file.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.lazy_imports import PAGE, LazyImport, lazy_imports
from tests.support.paths import ROOT

LEAST: Final = 2
"""Milliseconds of a start that justify an import inside a function."""
TIMES: Final = 5

NETWORK: Final = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec:
  topology: Layer2
  layer2: {role: Primary, subnets: [10.0.0.0/24]}
"""

_CALL: Final = """
import contextlib, io, sys
from %s import main
sys.argv = %r
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""
_IMPORT: Final = """
import importlib, os, time
started = time.process_time()
importlib.import_module(%r)
os.write(1, b"%%f" %% ((time.process_time() - started) * 1000))
"""

# The most special start comes first.
_STARTS: Final[Mapping[str, tuple[str, str]]] = {
    "validators/cli/main.py": ("the entry of `kubectl ovn-preflight`", "import ovnguard.validators.cli.main"),
    "validators/cli/completion.py": ("the entry of its completion", "import ovnguard.validators.cli.completion"),
    "crd_schemas/": ("the start of a program that only lists definitions", "from ovnguard import crd_schemas"),
    "validators/suite/pytest_plugin.py": (
        "the start of pytest",
        "import pytest, ovnguard.validators.suite.pytest_plugin",
    ),
    "validators/": (
        "`kubectl ovn-preflight` judges and accepts a network",
        _CALL % ("ovnguard.validators.cli.main", ["kubectl-ovn_preflight", "network.yaml"]),
    ),
    "webhook/": ("`ovnguard-webhook --help`", _CALL % ("ovnguard.webhook.cli", ["ovnguard-webhook", "--help"])),
    "reconciler/": (
        "`ovnguard-reconciler --help`",
        _CALL % ("ovnguard.reconciler.cli", ["ovnguard-reconciler", "--help"]),
    ),
}

HEAD: Final = """\
# Imports inside functions

This page lists the imports that stand inside functions, and what each saves. `python -m tests.bench.lazy_imports`
writes it, and a test compares it with the code.

A command should not wait for modules that it does not use. An import stands inside a function only where it saves at
least %d ms of a start; every other import stands at the top of its file. *Saved* is the CPU time in milliseconds that
the import takes after the start in the heading: the median of %d new processes, with everything compiled. A module that
several rows load counts in each of them.
"""


def start_of(file: str) -> tuple[str, str]:
    """The title and the code of the start that a file belongs to."""
    return next(start for prefix, start in _STARTS.items() if file.startswith(prefix))


def saved(code: str, module: str, folder: Path) -> float:
    """The milliseconds of CPU time that the import of ``module`` takes after a start."""
    command = [sys.executable, "-c", code + _IMPORT % module]
    runs = [subprocess.run(command, capture_output=True, check=True, cwd=folder) for _ in range(TIMES)]
    return statistics.median(float(run.stdout) for run in runs)


def measured(found: list[LazyImport], folder: Path) -> Iterator[tuple[str, LazyImport, float]]:
    """The title of the start, the import and the milliseconds that it saves, for each import."""
    done: dict[tuple[str, str], float] = {}
    for each in found:
        title, code = start_of(each.file)
        if (title, each.module) not in done:
            done[title, each.module] = saved(code, each.module, folder)
        yield title, each, done[title, each.module]


def main() -> None:
    """Write the page; say which imports save too little to stay."""
    tables: dict[str, list[str]] = {title: [] for title, _ in _STARTS.values()}
    with tempfile.TemporaryDirectory(prefix="ovnguard-imports-") as folder:
        (Path(folder) / "network.yaml").write_text(NETWORK, encoding="utf-8")
        for title, each, milliseconds in measured(lazy_imports(), Path(folder)):
            tables[title].append(f"| `{each.file}` | `{each.module}` | {milliseconds:,.0f} |\n")
            if milliseconds < LEAST:
                print(f"{each.file}: {each.module} saves {milliseconds:.1f} ms: import it at the top")
    text = HEAD % (LEAST, TIMES)
    for title, rows in tables.items():
        text += f"\n## After {title}\n\n| file | imports | saved |\n|---|---|---|\n{''.join(rows)}" if rows else ""
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
