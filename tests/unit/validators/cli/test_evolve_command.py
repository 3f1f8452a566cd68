import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from ovnguard.validators.cli import main as program
from ovnguard.validators.cli.evolve_command import evolve_command
from tests.support.paths import ROOT
from tests.support.small_definitions import definition
from tests.support.soak import limit

pytestmark = limit(120)
SCHEMA = json.loads((ROOT / "docs/schemas/evolution-v1.json").read_text(encoding="utf-8"))


def crd(maximum: int) -> dict[str, Any]:
    size = {"type": "integer", "maximum": maximum}
    spec = {"type": "object", "properties": {"size": size}}
    return definition({"type": "object", "properties": {"spec": spec}})


def foo(size: int) -> dict[str, Any]:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}}
    return {**head, "spec": {"size": size}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in (("five", crd(5)), ("nine", crd(9)), ("seven", foo(7)), ("one", foo(1))):
        (tmp_path / f"{name}.yaml").write_text(json.dumps(value), encoding="utf-8")
    return tmp_path


def run(*words: str, examples: str = "0") -> tuple[int, str]:
    """The exit code and the output."""
    result = CliRunner().invoke(evolve_command, [*words, "--examples", examples], standalone_mode=False)
    assert result.exception is None
    return result.return_value, result.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nine.yaml", "nine.yaml"), 0),
        (("five.yaml", "nine.yaml", "--inventory", "one.yaml"), 0),
        (("nine.yaml", "five.yaml"), 1),
        (("nine.yaml", "five.yaml", "--inventory", "seven.yaml"), 1),
        (("five.yaml", "nine.yaml", "--inventory", "seven.yaml", "--kubernetes-version", "1.29"), 0),
    ],
)
def test_exit_codes(words: tuple[str, ...], code: int) -> None:
    assert run(*words)[0] == code


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("nine.yaml", "none.yaml"), "Error: none.yaml:1:1: cannot be read: No such file or directory\n"),
        (
            ("nine.yaml", "one.yaml"),
            "Error: one.yaml: no CustomResourceDefinition there; name a file or folder with one\n",
        ),
        (("git:HEAD", "nine.yaml"), "Error: git: "),
        (("broken.yaml", "nine.yaml"), "Error: broken.yaml: no API server has stored this: "),
    ],
)
def test_wrong_calls(
    words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("broken.yaml").write_text(json.dumps(crd(5) | {"spec": {"versions": 5}}), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["kubectl-ovn_preflight", "evolve", *words])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(text)


@pytest.mark.usefixtures("folder")
def test_json_is_as_its_schema_says() -> None:
    _, output = run("nine.yaml", "five.yaml", "--inventory", "seven.yaml", "-o", "json")
    found = json.loads(output)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    error = "spec.size: Invalid value: 7: spec.size in body should be less than or equal to 5"
    assert found["safe"] is False
    assert found["summary"] == {
        "definitions": 1,
        "changes": {"narrows": 1, "widens": 0, "neutral": 0, "undecided": 0},
        "objects": 1,
        "refused": 0,
    }
    assert found["definitions"][0]["touched"] == [
        {
            "kind": "Foo",
            "namespace": "b",
            "name": "a",
            "outcomes": [{"versions": ["v1"], "refused": [], "forgiven": [error], "pruned": [], "filled": []}],
        }
    ]


def test_a_revision_of_git_is_read_as_old(folder: Path) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    git("add", "nine.yaml")
    git("commit", "-q", "-m", "nine")
    (folder / "nine.yaml").write_text(json.dumps(crd(5)), encoding="utf-8")
    code, output = run("git:HEAD", "nine.yaml")
    assert output.splitlines()[:2] == ["foos.example.com", "  narrows: v1 spec.size maximum: 9 -> 5"]
    assert code == 1


def test_definitions_in_one_input_only(folder: Path) -> None:
    other = crd(5)
    other["metadata"]["name"] = "bars.example.com"
    (folder / "other.yaml").write_text(json.dumps(other), encoding="utf-8")
    code, output = run("nine.yaml", "other.yaml")
    assert output.splitlines()[:2] == [
        "foos.example.com: is gone, with all its objects",
        "bars.example.com: is new",
    ]
    assert code == 1


@pytest.mark.usefixtures("folder")
def test_without_hypothesis_nothing_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.delitem(sys.modules, "ovnguard.validators.evolution.counterexamples", raising=False)
    code, output = run("nine.yaml", "five.yaml", examples="20")
    assert "counterexample:" not in output
    assert code == 1
