"""Compiled definitions kept between processes: the same verdicts, and trust in nobody else's files."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd, compile_source
from ovnguard.validators.fast.artefact import key_of, key_of_text, unpack
from ovnguard.validators.fast.disk_store import MAX_FILES, DiskStore, default_folder, distrust, user_store
from tests.support.fast_differential import of, with_node
from tests.support.soak import limit

RULED = with_node(
    {
        "type": "string",
        "maxLength": 9,
        "pattern": "^[a-z0-9]+$",
        "default": "a",
        "x-kubernetes-validations": [{"rule": "self.matches('[a-z]') && uint(self.split('x')[0].size()) < 8u"}],
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # Folders of tests lie below /tmp, which is sticky; what is made here is private.
    return tmp_path / "cache" / "compiled"


def twice(folder: Path, definition: dict[str, Any]) -> tuple[CompiledCRD, CompiledCRD]:
    store = DiskStore(folder)
    return compile_crd(definition, store=store), compile_crd(definition, store=store)


def test_what_was_kept_judges_the_same(folder: Path) -> None:
    made, kept = twice(folder, RULED)
    assert made.served.fast is not None
    assert kept.served.fast is not None
    assert made.served.fast.plan.module.code is not kept.served.fast.plan.module.code
    for value in ("abc", "1", "A", "abcdefghi", "abcdefghij", 1, None):
        one, two = made.verdict(of(value)), kept.verdict(of(value))
        assert (one.allowed, one.object, one.errors, one.warnings) == (
            two.allowed,
            two.object,
            two.errors,
            two.warnings,
        )
        assert one.cost == two.cost
    assert (kept.group, kept.version, kept.kind, kept.plural) == ("example.com", "v1", "Foo", "foos")
    assert (kept.scope, kept.has_status) == ("Namespaced", False)
    assert kept.prepare({**of("a"), "x": 1}).unknown_fields() == (1, 0)


@pytest.mark.parametrize("key", sorted(crd_schemas.crds("released")))
def test_bundled_definitions_are_kept(folder: Path, key: Any) -> None:
    definition = crd_schemas.crds("released")[key]
    _, kept = twice(folder, definition)
    assert kept.served.fast is not None
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def parse_again() -> dict[str, Any]:
    raise AssertionError


def test_the_text_of_what_was_kept_is_not_parsed_again(folder: Path) -> None:
    text = json.dumps(RULED).encode()
    store = DiskStore(folder)
    made = compile_source(text, partial(json.loads, text), store=store)
    kept = compile_source(text, parse_again, store=store)
    for value in ("abc", "A"):
        one, two = made.verdict(of(value)), kept.verdict(of(value))
        assert (one.allowed, one.object, one.errors, one.cost) == (two.allowed, two.object, two.errors, two.cost)
    changed = compile_source(text + b" ", partial(json.loads, text), store=store)
    assert changed.served.fast is not None
    assert len(list(folder.iterdir())) == 2
    assert compile_source(text, partial(json.loads, text)).verdict(of("abc")).allowed
    with pytest.raises(ValueError, match=r"Kubernetes 1\.28 is older than 1\.29"):
        compile_source(text, partial(json.loads, text), kubernetes="1.28", store=store)


def test_every_input_has_a_key_of_its_own() -> None:
    keys = {
        key_of(RULED, None, "1.35"),
        key_of(RULED, "v1", "1.35"),
        key_of(RULED, None, "1.34"),
        key_of({**RULED, "x": 1}, None, "1.35"),
        key_of({**RULED, "x": 1.0}, None, "1.35"),
        key_of({**RULED, "x": True}, None, "1.35"),
        key_of_text(b"{}", None, "1.35"),
    }
    assert len(keys) == 7


@pytest.mark.parametrize(
    "how", [lambda data: data[:-1], lambda data: data + b"x", lambda data: b"", lambda data: b"\0" * 99]
)
def test_damaged_files_are_replaced(folder: Path, how: Any) -> None:
    twice(folder, RULED)
    (file,) = folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(how(good))
    assert unpack(file.read_bytes()) is None
    assert compile_crd(RULED, store=DiskStore(folder)).verdict(of("abc")).allowed
    assert unpack(file.read_bytes()) is not None


def _writable(folder: Path, file: Path) -> None:
    folder.chmod(0o777)


def _writable_file(folder: Path, file: Path) -> None:
    file.chmod(0o666)


def _link(folder: Path, file: Path) -> None:
    other = folder.parent / "elsewhere"
    file.rename(other)
    file.symlink_to(other)


def _linked_folder(folder: Path, file: Path) -> None:
    other = folder.parent / "other"
    folder.rename(other)
    folder.symlink_to(other)


def _writable_above(folder: Path, file: Path) -> None:
    folder.parent.chmod(0o777)


@pytest.mark.parametrize("spoil", [_writable, _writable_file, _link, _linked_folder, _writable_above])
def test_what_others_could_have_written_is_not_read(folder: Path, spoil: Any) -> None:
    twice(folder, RULED)
    (file,) = folder.iterdir()
    assert DiskStore(folder).load(file.stem) is not None
    spoil(folder, file)
    assert DiskStore(folder).load(file.stem) is None
    assert compile_crd(RULED, store=DiskStore(folder)).verdict(of("abc")).allowed


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    assert compile_crd(RULED, store=DiskStore(file / "below")).verdict(of("abc")).allowed


def test_old_files_go(folder: Path) -> None:
    store = DiskStore(folder)
    for number in range(MAX_FILES + 3):
        store.save(f"{number:04}", b"x")
        os.utime(folder / f"{number:04}.compiled", (number, number))
    store.save("last", b"x")
    names = sorted(file.stem for file in folder.iterdir())
    assert len(names) == MAX_FILES
    assert "0000" not in names
    assert "last" in names


def test_the_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert default_folder() == Path("/cache/ovnguard/compiled")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/u")
    assert default_folder() == Path("/home/u/.cache/ovnguard/compiled")
    monkeypatch.setenv("HOME", ".")
    assert default_folder() is None
    assert user_store() == (None, "the user has no home with an absolute path")


def _linked_above(folder: Path, file: Path) -> None:
    folder.parent.rename(folder.parent.parent / "elsewhere")
    folder.parent.symlink_to("elsewhere")


def _file_above(folder: Path, file: Path) -> None:
    folder.parent.rename(folder.parent.parent / "elsewhere")
    folder.parent.write_text("x")


def _readable(folder: Path, file: Path) -> None:
    folder.chmod(0o750)


@pytest.mark.parametrize(
    ("spoil", "above", "reason"),
    [
        (_writable, 0, "is open to other users: its mode must be 0700"),
        (_readable, 0, "is open to other users: its mode must be 0700"),
        (_linked_folder, 0, "is a symbolic link"),
        (_linked_above, 1, "is a symbolic link"),
        (_writable_above, 1, "is writable for other users"),
        (_file_above, 1, ": Not a directory"),
    ],
)
def test_a_folder_that_others_may_have_written_is_distrusted(folder: Path, spoil: Any, above: int, reason: str) -> None:
    twice(folder, RULED)
    assert distrust(folder) == ""
    spoil(folder, next(folder.iterdir()))
    place = [folder, *folder.parents][0 if reason.startswith(":") else above]
    assert distrust(folder) == f"{place}{'' if reason.startswith(':') else ' '}{reason}"


def test_a_folder_of_another_user_is_distrusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(folder, RULED)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert distrust(folder) == f"{folder} belongs to another user"


@pytest.mark.parametrize("path", ["cache/ovnguard", "/home/u/../v/cache"])
def test_a_path_that_may_lead_elsewhere_is_distrusted(path: str) -> None:
    assert distrust(Path(path)) == f"{path} is not an absolute path without '..'"


PAYLOAD = """
import ovnguard.validators.crd.compiled_crd as compiled
from ovnguard.validators.cli.main import main
from ovnguard.validators.fast.artefact import pack


def poisoned(data):
    code = compile("import pathlib; pathlib.Path('executed').touch()", "payload", "exec")
    return pack(data._replace(plan=data.plan._replace(module=data.plan.module._replace(code=code))))


compiled.pack = poisoned
main()
"""


@limit(180)
@pytest.mark.parametrize("mode", [0o755, 0o775])
def test_a_cache_that_a_repository_carries_is_not_executed(tmp_path: Path, mode: int) -> None:
    root = Path(__file__).parents[4]
    home, checkout = tmp_path / "home", tmp_path / "repository"
    home.mkdir(mode=0o700)
    checkout.mkdir()
    words = [str(root / "deploy/examples/valid"), "--inventory", str(root / "deploy/examples/nodes")]

    def run(program: list[str], cache: Path | str, home: Path | str = home) -> str:
        environ = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, *program], env=environ, cwd=checkout, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    cache = checkout / ".cache"
    run(["-c", PAYLOAD, *words], cache)
    stored = list((cache / "ovnguard" / "compiled").iterdir())
    assert stored
    judge = ["-c", "from ovnguard.validators.cli.main import main; main()", *words]
    # the payload works: in a private folder that the user names, it runs
    subprocess.run(
        [sys.executable, *judge],
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(root)},
        cwd=checkout,
        capture_output=True,
        check=False,
    )
    assert (checkout / "executed").exists()
    (checkout / "executed").unlink()
    run([*judge, "--no-cache"], cache)
    assert not (checkout / "executed").exists()
    # version control creates folders with the mode of the umask
    for place in (cache, cache / "ovnguard", cache / "ovnguard" / "compiled"):
        place.chmod(mode)
    output = run([*judge, "-v"], cache)
    assert "warning: compiled definitions are not kept: " in output
    run(judge, ".cache")
    run(judge, "", home=".")
    assert not (checkout / "executed").exists()
    assert sorted((cache / "ovnguard" / "compiled").iterdir()) == sorted(stored)


PROGRAM = """
import json, sys
from pathlib import Path
from ovnguard import crd_schemas
from ovnguard.validators.crd.compiled_crd import compile_crd
from ovnguard.validators.fast.disk_store import DiskStore
definition, obj = json.load(sys.stdin)
verdict = compile_crd(definition, store=DiskStore(Path(sys.argv[1]))).verdict(obj)
heavy = {"lark", "celpy", "re2", "jsonschema", "pickle"} & set(sys.modules)
print(verdict.allowed, sorted(heavy))
"""


@limit(180)
def test_a_warm_process_imports_nothing_heavy(folder: Path) -> None:
    outputs = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder)],
            input=json.dumps([RULED, of("abc")]),
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[4],
        )
        outputs.append(ran.stdout.strip())
    assert outputs[0].startswith("True ['lark'")
    assert outputs[1] == "True []"
