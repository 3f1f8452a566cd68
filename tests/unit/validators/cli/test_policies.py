"""Built-in kinds that policies are about, in a terminal."""

from pathlib import Path

from tests.support.preflight_run import report, run

CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}
  namespace: openshift-ovn-kubernetes
data:
  zone-mode: {mode}
"""


def test_a_finding_has_the_place_and_the_id_of_its_validation(tmp_path: Path) -> None:
    file = tmp_path / "upgrade.yaml"
    file.write_text(CONFIG_MAP.format(name="ovn-interconnect-configuration", mode="foo"), encoding="utf-8")
    code, document = report(str(file))
    assert code == 1
    finding, *notes = document["findings"]
    assert [(note["severity"], note["message"]) for note in notes] == [
        ("note", "judged by type, rules and policies: the API server validates the values of ConfigMap of v1"),
        ("note", "not checked: needs the release in the ClusterVersion (OVNG-IC-003)"),
    ]
    assert (finding["line"], finding["column"], finding["path"]) == (7, 3, "data[zone-mode]")
    assert finding["rule"] == "interconnect-configuration.ovnguard.io/zone-mode-known"
    assert finding["message"] == (
        "Invalid value: zone-mode must be singlezone or multizone: the operator treats any other value as multizone"
    )


def test_an_update_is_judged_against_what_was(tmp_path: Path) -> None:
    for folder, mode in (("old", "multizone"), ("new", "singlezone")):
        (tmp_path / folder).mkdir()
        text = CONFIG_MAP.format(name="ovn-interconnect-configuration", mode=mode)
        (tmp_path / folder / "upgrade.yaml").write_text(text, encoding="utf-8")
    result = run("--old", str(tmp_path / "old"), str(tmp_path / "new"))
    assert result.return_value == 1
    assert "switching back from multizone to singlezone is not supported" in result.stdout
    assert "[interconnect-configuration.ovnguard.io/no-way-back]" in result.stdout


def test_other_objects_of_the_kind_are_judged_by_type(tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text(CONFIG_MAP.format(name="other", mode="foo"), encoding="utf-8")
    code, document = report(str(file))
    assert code == 0
    (finding,) = document["findings"]
    assert finding["message"] == "judged by type: the API server validates the values of ConfigMap of v1"
