"""A run with everything compiled before: what it must not import, and that the cache never changes a word."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from ovnguard.validators.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
# Of other packages and of the standard library: each costs milliseconds and has no work in a warm run.
HEAVY = {
    *("celpy", "click", "cryptography", "flask", "google", "hypothesis", "jsonschema", "kubernetes", "lark", "re2"),
    *("dataclasses", "inspect", "importlib.metadata", "importlib.resources", "tempfile", "traceback"),
}
# Nothing is compiled without a parser of CEL, and what is compiled is written with the other two.
COMPILER = {"celpy", "lark", "pickle", "tempfile", "ovnguard.validators.cel.syntax.parse"}
VALID = ("deploy/examples/valid", "--inventory", "deploy/examples/nodes")


def run(cache: Path, *arguments: str) -> tuple[int, str, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return done.returncode, done.stdout, set(done.stderr.split())


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_a_warm_run_imports_nothing_heavy(tmp_path: Path) -> None:
    assert HEAVY & run(tmp_path, *VALID)[2] >= {"lark"}
    code, _, modules = run(tmp_path, *VALID)
    assert code == 0
    assert "ovnguard.validators.crd.prepared_request" in modules
    assert modules & (HEAVY | COMPILER) == set()


def test_a_run_that_asks_for_no_feature_set_drops_no_gated_fields(tmp_path: Path) -> None:
    assert "ovnguard.validators.bundled.gated_fields" not in run(tmp_path, *VALID)[2]


def test_a_warm_run_with_a_feature_set_compiles_nothing(tmp_path: Path) -> None:
    words = (*VALID, "--feature-set", "Default")
    cold = run(tmp_path, *words)
    warm = run(tmp_path, *words)
    assert cold[:2] == warm[:2]
    assert "ovnguard.validators.bundled.gated_fields" in warm[2]
    assert warm[2] & COMPILER == set()


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_warm_refusal_compiles_nothing(tmp_path: Path, output: str) -> None:
    words = ("deploy/examples/invalid", "-o", output)
    cold = run(tmp_path, *words)
    warm = run(tmp_path, *words)
    assert cold[:2] == warm[:2]
    assert cold[0] != 0
    assert warm[2] & COMPILER == set()


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("arguments", [VALID, ("deploy/examples/invalid",)])
def test_an_empty_a_warm_and_a_damaged_cache_say_the_same(tmp_path: Path, output: str, arguments: tuple[str]) -> None:
    words = (*arguments, "-o", output)
    empty = run(tmp_path, *words)
    files = sorted((tmp_path / "ovnguard" / "compiled").iterdir())
    assert len(files) >= 2
    warm = run(tmp_path, *words)
    for number, file in enumerate(files):
        damage(file) if number else file.write_bytes(b"")
    damaged = run(tmp_path, *words)
    assert "lark" in damaged[2]
    assert empty[:2] == warm[:2] == damaged[:2]
    assert damaged[1]
