"""CustomResourceDefinitions among the manifests: new ones, and updates of what ``--old`` names."""

from pathlib import Path

import pytest

from tests.support.preflight_run import report, run, widgets

OLD = widgets("{size: {type: integer}}")


@pytest.fixture
def old(tmp_path: Path) -> str:
    (tmp_path / "old.yaml").write_text(OLD)
    return str(tmp_path / "old.yaml")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(OLD.splitlines(), 1) if text in line)


def test_an_update_is_judged_as_the_api_server_does(old: str) -> None:
    new = OLD.replace("scope: Cluster", "scope: Namespaced").replace("name: v1", "name: v2")
    assert new.count("Namespaced") == new.count("name: v2") == 1
    assert report("-", stdin=new)[0] == 0
    code, document = report("-", "--old", old, stdin=new)
    assert code == 1
    assert [(one["path"], one["line"], one["message"]) for one in document["findings"]] == [
        ("spec.scope", line_of("scope: Cluster"), 'Invalid value: "Namespaced": field is immutable'),
        (
            "status.storedVersions[0]",
            line_of("versions:"),
            'Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in'
            " spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from"
            " status.storedVersions",
        ),
    ]


def test_a_namespace_of_a_definition_does_not_count(old: str) -> None:
    new = OLD.replace("scope: Cluster", "scope: Namespaced")
    new = new.replace("name: widgets.example.com", "name: widgets.example.com, namespace: red")
    (finding,) = report("-", "--old", old, stdin=new)[1]["findings"]
    assert (finding["path"], finding["message"]) == ("spec.scope", 'Invalid value: "Namespaced": field is immutable')


def test_the_release_that_judges_has_its_own_words(old: str) -> None:
    new = OLD.replace("name: v1", "name: v2")
    _, document = report("-", "--old", old, "--kubernetes-version", "1.30", stdin=new)
    assert [one["message"] for one in document["findings"]] == ['Invalid value: "v1": must appear in spec.versions']


def test_the_second_manifest_of_a_definition_is_an_update_of_the_first() -> None:
    result = run("-", "-q", stdin=f"{OLD}\n---\n{OLD.replace('scope: Cluster', 'scope: Namespaced')}")
    assert result.return_value == 1
    assert result.stdout.count("error: ") == 1
    assert 'error: field is immutable (spec.scope: Invalid value: "Namespaced")' in result.stdout


def test_an_unknown_field_is_an_error_and_hides_the_others(old: str) -> None:
    new = OLD.replace("scope: Cluster", "scope: Namespaced").replace("type: integer", "type: integer, maximun: 3")
    code, document = report("-", "--old", old, stdin=new)
    assert code == 1
    unknown, then = document["findings"]
    assert unknown["message"].endswith(
        'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.size.maximun"'
    )
    assert (unknown["severity"], unknown["rule"], unknown["line"]) == ("error", "strict", line_of("type: integer"))
    assert (then["path"], then["then"], then["severity"]) == ("spec.scope", True, "note")


def test_metadata_is_reported_once(old: str) -> None:
    new = OLD.replace("metadata: {", "metadata: {ownerReferences: [{apiVersion: v1, kind: Event, name: a, uid: u}], ")
    assert "Event" in new
    _, document = report("-", "--old", old, stdin=new)
    owner = '{"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}'
    assert [one["message"] for one in document["findings"]] == [
        f"Invalid value: {owner}: /v1, Kind=Event is disallowed from being an owner"
    ]


def test_what_the_server_warns_of_is_a_warning(old: str) -> None:
    new = OLD.replace("type: integer", "type: string, format: unheard-of")
    code, document = report("-", "--old", old, stdin=new)
    assert (code, [(one["severity"], one["message"]) for one in document["findings"]]) == (
        0,
        [("warning", 'unrecognized format "unheard-of"')],
    )


def test_an_old_definition_of_another_api_is_named(old: str) -> None:
    Path(old).write_text(OLD.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"))
    code, document = report("-", "--old", old, stdin=OLD.replace("scope: Cluster", "scope: Namespaced"))
    assert (code, [(one["severity"], one["message"]) for one in document["findings"]]) == (
        0,
        [
            (
                "warning",
                "judged as a new definition; the old one cannot be read: must be a CustomResourceDefinition of"
                " apiextensions.k8s.io/v1",
            )
        ],
    )
