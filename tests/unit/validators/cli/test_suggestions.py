"""Misspelt fields and values get the known one that is most similar."""

import pytest

from tests.support.preflight_run import report, run
from validators.base.field import ErrorType, FieldError
from validators.cli.suggestions import suggestion

SCHEMA = {
    "properties": {
        "spec": {
            "properties": {"network": {}, "mtu": {}},
            "additionalProperties": {"items": {"properties": {"cidr": {}}}},
        }
    }
}


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("spec.netwrok", "network"),
        ("spec.MTU", "mtu"),
        ("spec.other[3].cidrs", "cidr"),
        ("spec.other[3].zzz", ""),
        ("spec.mtu.deep", ""),
        ("spc", "spec"),
        ("", ""),
    ],
)
def test_fields(path: str, meant: str) -> None:
    assert suggestion(FieldError(ErrorType.INVALID, path, rule="strict"), SCHEMA) == meant
    assert suggestion(FieldError(ErrorType.INVALID, path, rule="strict"), None) == ""


@pytest.mark.parametrize(("value", "meant"), [("layer3", "Layer3"), ("Layer4", "Layer3"), ("x", ""), (3, "")])
def test_values(value: object, meant: str) -> None:
    error = FieldError(ErrorType.NOT_SUPPORTED, "spec.topology", value, 'supported values: "Layer3", "Localnet"')
    assert suggestion(error, None) == meant


MISSPELT = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: %s, layer3: {role: Primary, subnets: [{%s: 10.41.0.0/16}]}}
"""


@pytest.mark.parametrize(
    ("topology", "cidr", "meant"), [("layer3", "cidr", "Layer3"), ("Layer3", "cidrr", "cidr"), ("Layer3", "zzz", None)]
)
def test_a_note_follows_the_error(topology: str, cidr: str, meant: str | None) -> None:
    text = MISSPELT % (topology, cidr)
    notes = [each for each in report("-", stdin=text)[1]["findings"] if each["message"].startswith("did you mean")]
    assert [each["message"] for each in notes] == ([f"did you mean {meant}?"] if meant else [])
    assert (f"note: did you mean {meant}?" in run("-", stdin=text).stdout) is (meant is not None)


def test_a_word_or_a_list_that_takes_long_to_compare_gets_no_suggestion() -> None:
    def meant(word: str, known: int) -> str:
        values = ", ".join(f'"{"v" * 95}{number}"' for number in range(known))
        return suggestion(FieldError(ErrorType.NOT_SUPPORTED, "a", word, f"supported values: {values}"), None)

    assert meant("v" * 100, 150) != ""
    assert meant("v" * 101, 150) == ""
    assert meant("v" * 100, 199) == ""

    def field(known: int) -> str:
        schema: dict[str, object] = {"properties": {f"field{number}": {} for number in range(known)}}
        return suggestion(FieldError(ErrorType.INVALID, "fild7", rule="strict"), schema)

    assert (field(200), field(201)) == ("field7", "")


def test_the_first_hundred_misspelt_fields_get_suggestions() -> None:
    subnets = ", ".join("{cidr: 10.41.0.0/16, cidrr: 1}" for _ in range(120))
    text = (MISSPELT % ("Layer3", "cidr")).replace("{cidr: 10.41.0.0/16}", subnets)
    findings = report("-", stdin=text)[1]["findings"]
    unknown = [each["path"] for each in findings if each["message"].endswith(f'unknown field "{each["path"]}"')]
    meant = [each["path"] for each in findings if each["message"] == "did you mean cidr?"]
    assert set(unknown) == {f"spec.layer3.subnets[{number}].cidrr" for number in range(120)}
    assert meant == unknown[:100]
