"""Whatever the input is, the answer is an exit code of the table, never an internal error."""

from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.cli.preflight_inputs import read_inputs
from ovnguard.validators.commandline.program import Exit
from tests.support.preflight_run import run

MANIFEST: Final = "deploy/examples/valid/green-layer3.yaml"
CODES: Final = {Exit.OK, Exit.INVALID, Exit.USAGE, Exit.NO_SCHEMA}
KEYS: Final = st.sampled_from(
    ["apiVersion", "kind", "metadata", "spec", "items", "name", "topology", "layer3", "subnets", "a"]
)
TEXTS: Final = st.sampled_from(
    [
        "v1",
        "k8s.ovn.org/v1",
        "List",
        "ClusterUserDefinedNetwork",
        "UserDefinedNetwork",
        "Pod",
        "Layer3",
        "10.0.0.0/8",
        "",
        "x",
    ]
)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@given(data=st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert run("-", stdin=data).return_value in CODES
    assert run("-", "--require-schemas", stdin=data).return_value in CODES


@given(value=VALUES)
def test_any_yaml(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True).encode()
    assert run("-", "--require-schemas", "-o", "sarif", stdin=text).return_value in CODES


@given(value=st.dictionaries(KEYS, VALUES, min_size=2))
def test_any_object(value: dict[str, object]) -> None:
    named = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", **value}
    assert run("-", "-o", "junit", stdin=yaml.safe_dump(named).encode()).return_value in CODES


@pytest.mark.parametrize("option", ["--crds", "--old", "--inventory", "--policies"])
def test_any_bytes_of_other_inputs(option: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("bytes") / "given.yaml"

    @given(data=st.binary(max_size=100) | st.builds(lambda value: yaml.safe_dump(value).encode(), VALUES))
    def answered(data: bytes) -> None:
        file.write_bytes(data)
        assert run(MANIFEST, option, str(file)).return_value in CODES

    answered()


def test_any_bytes_of_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "net.yaml").write_bytes(Path(MANIFEST).read_bytes())

    @given(data=st.binary(max_size=100) | st.builds(lambda value: yaml.safe_dump(value).encode(), VALUES))
    def answered(data: bytes) -> None:
        (tmp_path / ".ovnguard.yaml").write_bytes(data)
        assert run(str(tmp_path / "net.yaml")).return_value in CODES

    answered()


def test_it_could_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.validators.cli.preflight.read_inputs", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("-", stdin="a")
    assert read_inputs is not None
