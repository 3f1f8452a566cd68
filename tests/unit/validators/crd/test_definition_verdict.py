"""Updates of definitions; every text is the API server's own (crd-verdict of the test bed)."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ovnguard.validators.crd.definition_verdict import judge_definition
from tests.support.small_definitions import definition

Json = dict[str, Any]
SCHEMA: Json = {"type": "object", "properties": {"spec": {"type": "object"}}}
STILL_STORED = (
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version,'
    " and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1"
    " from status.storedVersions"
)
APPROVAL = "api-approved.kubernetes.io"


def with_node(node: Json, **spec: Any) -> Json:
    """A definition with a property ``a``."""
    made = definition({"type": "object", "properties": {"a": node}})
    made["spec"] |= spec
    return made


def status(old: Json, established: str = "True", stored: tuple[str, ...] = ("v1",)) -> Json:
    condition = {"type": "Established", "status": established}
    return old | {"status": {"storedVersions": [*stored], "conditions": [condition]}}


def texts(new: Json, old: Json | None, kubernetes: str = "1.35") -> list[str]:
    return [error.text for error in judge_definition(new, old, kubernetes).errors]


def versions(*names: str, storage: str) -> Json:
    made = definition(SCHEMA)
    (version,) = made["spec"]["versions"]
    made["spec"]["versions"] = [version | {"name": name, "storage": name == storage} for name in names]
    return made


def renamed(**names: str) -> Json:
    made = definition(SCHEMA)
    made["spec"]["names"] |= names
    return made


IMMUTABLE = [
    (definition(SCHEMA, scope="Cluster"), 'spec.scope: Invalid value: "Cluster": field is immutable'),
    (renamed(kind="Bar"), 'spec.names.kind: Invalid value: "Bar": field is immutable'),
    (renamed(plural="bars"), 'spec.names.plural: Invalid value: "bars": field is immutable'),
    (versions("v2", storage="v2"), STILL_STORED),
]


@pytest.mark.parametrize(("new", "text"), IMMUTABLE, ids=["scope", "kind", "plural", "stored version"])
def test_a_definition_of_a_file_counts_as_established_and_its_storage_version_as_stored(new: Json, text: str) -> None:
    assert texts(new, definition(SCHEMA)) == [text]
    assert texts(new, status(definition(SCHEMA))) == [text]
    if "plural" not in text:
        assert texts(new, None) == []


def test_scope_and_kind_may_change_until_the_definition_is_established() -> None:
    old = status(definition(SCHEMA), "False")
    assert [texts(new, old) for new, _ in IMMUTABLE] == [[], [], [IMMUTABLE[2][1]], [STILL_STORED]]


def test_stored_versions_of_the_status_must_stay_and_those_that_were_migrated_may_go() -> None:
    old = versions("v1", "v2", storage="v2")
    assert texts(versions("v2", storage="v2"), old) == []
    assert texts(versions("v2", storage="v2"), status(old, stored=("v1", "v2"))) == [STILL_STORED]
    assert texts(versions("v2", storage="v2"), status(old, stored=("v2",))) == []
    before = 'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions'
    assert texts(versions("v2", storage="v2"), status(old, stored=("v1", "v2")), "1.32") == [before]


def test_names_that_the_status_records_are_checked() -> None:
    old = status(definition(SCHEMA))
    old["status"]["acceptedNames"] = {"kind": "Foo", "listKind": "Foo"}
    text = 'status.acceptedNames.listKind: Invalid value: "Foo": kind and listKind may not be the same'
    assert texts(definition(SCHEMA), old) == [text]


LOOSE_SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "properties": {}}}
NULL_KEYS = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": True}}
UNPRUNED = {"type": "object", "properties": {"b": {"type": "integer"}}, "default": {"b": 1, "c": 2}}
DEAR = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "string"}},
    "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a.all(c, b.all(d, c == d))))"}],
}
SPEC = "spec.validation.openAPIV3Schema.properties[a]"
KEPT = [
    (LOOSE_SET, [f"{SPEC}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with"]),
    (NULL_KEYS, [f"{SPEC}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"]),
    (UNPRUNED, [f'{SPEC}.default: Invalid value: {{"b":1,"c":2}}: must not have unknown fields']),
    ({"type": "text"}, [f'{SPEC}.type: Unsupported value: "text": supported values: "array", "boolean"']),
]


@pytest.mark.parametrize(("fault", "starts"), KEPT, ids=["set", "null in a set", "default", "type"])
def test_a_fault_that_the_old_definition_has_is_no_error(fault: Json, starts: list[str]) -> None:
    """Anywhere in the old definition: what counts is that this release, or one before, let it pass."""
    elsewhere = definition({"type": "object", "properties": {"z": fault}})
    for old in (None, definition(SCHEMA)):
        found = texts(with_node(fault), old)
        assert [text[: len(start)] for text, start in zip(found, starts, strict=True)] == starts
    assert texts(with_node(fault), elsewhere) == []


def test_rules_of_an_unchanged_schema_may_cost_more_than_the_limit_of_one_rule() -> None:
    old, new = with_node(DEAR), with_node(DEAR)
    new["spec"]["names"]["shortNames"] = ["f"]
    per_rule = [text for text in texts(new, None) if "estimated rule cost exceeds" in text]
    assert len(per_rule) == 1
    assert [text for text in texts(new, old) if "estimated rule cost exceeds" in text] == []
    changed = copy.deepcopy(new)
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "changed"
    assert [text for text in texts(changed, old) if "estimated rule cost exceeds" in text] == per_rule


def test_a_stored_expression_may_use_what_its_release_introduced() -> None:
    rule = {"rule": "self.sortBy(a, a) == self", "messageExpression": "string(self.sortBy(a, a).size())"}
    node = {"type": "array", "maxItems": 3, "items": {"type": "integer"}, "x-kubernetes-validations": [rule]}
    new = with_node(node, versions=definition({"type": "object", "properties": {"b": node}})["spec"]["versions"])
    assert len(texts(new, None, "1.34")) == 1
    assert texts(new, with_node(node), "1.34") == []


def preserving(made: Json) -> None:
    made["spec"]["preserveUnknownFields"] = True


def approved(text: str) -> Callable[[Json], None]:
    def change(made: Json) -> None:
        made["metadata"] |= {"name": "foos.x.k8s.io", "annotations": {APPROVAL: text}}
        made["spec"]["group"] = "x.k8s.io"

    return change


def converted(versions: list[str], bundle: str = "") -> Callable[[Json], None]:
    def change(made: Json) -> None:
        client = {"url": "https://example.com"} | ({"caBundle": bundle} if bundle else {})
        webhook = {"clientConfig": client, "conversionReviewVersions": versions}
        made["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}

    return change


def crowded(made: Json) -> None:
    (version,) = made["spec"]["versions"]
    version["schema"]["openAPIV3Schema"]["properties"] |= {f"p{number}": {"type": "string"} for number in range(9)}
    version["selectableFields"] = [{"jsonPath": f".p{number}"} for number in range(9)]


def unstructured(made: Json) -> None:
    preserving(made)
    made["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"properties": {"a": {}}}


@pytest.mark.parametrize(
    ("fault", "count"),
    [
        (preserving, 1),
        (approved("x"), 1),
        (converted(["v2"]), 1),
        (crowded, 1),
        (unstructured, 3),
    ],
    ids=["preserveUnknownFields", "approval", "review versions", "selectable fields", "structure"],
)
def test_what_an_update_keeps_is_no_error(fault: Callable[[Json], None], count: int) -> None:
    new = definition(copy.deepcopy(SCHEMA))
    fault(new)
    assert len(texts(new, None)) == count
    assert texts(copy.deepcopy(new), new) == []


def test_nine_selectable_fields_stay_too_many_before_1_35() -> None:
    new = definition(copy.deepcopy(SCHEMA))
    crowded(new)
    assert texts(new, new, "1.34") == ["spec.selectableFields: Too many: 9: must have at most 8 items"]


BROKEN = "spec.conversion.webhookClientConfig.caBundle: Invalid value: "
NO_BLOCK = "unable to load root certificates: unable to parse bytes as PEM block"


@pytest.mark.parametrize(
    ("kubernetes", "found"),
    [("1.30", []), ("1.31", [f"{BROKEN}[]byte{{0x61}}: {NO_BLOCK}"]), ("1.35", [f'{BROKEN}"YQ==": {NO_BLOCK}'])],
)
def test_certificates_of_an_established_definition_must_be_readable_unless_they_never_were(
    kubernetes: str, found: list[str]
) -> None:
    old, new = definition(SCHEMA), definition(SCHEMA)
    converted(["v1"], "YQ==")(new)
    assert texts(new, None, kubernetes) == []
    assert texts(new, old, kubernetes) == found
    assert texts(new, new, kubernetes) == []
    assert texts(new, status(old, "False"), kubernetes) == []


def test_a_served_version_without_a_schema_may_stay_only_where_all_fields_are_kept() -> None:
    old = definition(SCHEMA)
    del old["spec"]["versions"][0]["schema"]
    path = "spec.versions[0].schema.openAPIV3Schema: Required value"
    assert texts(old, definition(SCHEMA)) == [path]
    assert texts(old, old) == [f"{path}: because otherwise all fields are pruned"]
    preserving(old)
    assert texts(old, old) == []


def test_another_object_of_the_same_name_is_a_conflict() -> None:
    old, new = definition(SCHEMA), definition(SCHEMA)
    old["metadata"]["uid"], new["metadata"]["uid"] = "a", "b"
    assert texts(new, old) == [
        "<nil>: Invalid value: Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io"
        ' "foos.example.com": StorageError: invalid object, Code: 4, Key: /registry/apiextensions.k8s.io/'
        "customresourcedefinitions/foos.example.com, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:"
        " UID in precondition: b, UID in object meta: a"
    ]
    new["metadata"] = {"name": "foos.example.com", "resourceVersion": "2"}
    old["metadata"]["resourceVersion"] = "1"
    conflict = 'fulfilled on customresourcedefinitions.apiextensions.k8s.io "foos.example.com": the object has been'
    (found,) = texts(new, old)
    assert found.startswith("<nil>: Invalid value: Operation cannot be " + conflict)


@pytest.mark.parametrize(("kubernetes", "since"), [("1.33", False), ("1.34", True), ("1.35", True)])
def test_formats_that_a_release_does_not_know_cause_a_warning_once(kubernetes: str, since: bool) -> None:
    new = with_node({"type": "string", "format": "unheard-of"})
    found = ('unrecognized format "unheard-of"',) if since else ()
    assert judge_definition(new, None, kubernetes).warnings == found
    assert judge_definition(new, definition(SCHEMA), kubernetes).warnings == found
    assert judge_definition(new, new, kubernetes).warnings == ()


@pytest.mark.parametrize(
    ("node", "before", "since"),
    [
        ({"type": "integer", "format": "int128"}, "1.35", "1.36"),
        (LOOSE_SET | {"items": {"type": "array"}}, "1.36", "1.37"),
    ],
    ids=["format of a number", "set of lists"],
)
def test_warnings_of_later_releases(node: Json, before: str, since: str) -> None:
    if node["type"] == "array":
        node["items"] = {"type": "array", "items": {"type": "string"}}
    assert judge_definition(with_node(node), None, before).warnings == ()
    assert len(judge_definition(with_node(node), None, since).warnings) == 1


def test_unknown_fields_are_named_where_strict_decoding_looks() -> None:
    new = with_node({"type": "string", "descripton": "x"}, serve=True)
    (version,) = new["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    schema["properties"]["b"] = {"type": "array", "items": {"type": "string", "hidden": 1}}
    new["metadata"]["foo"] = {}
    version["selectableFields"] = []
    paths = ["metadata.foo", "spec.serve", "spec.versions[0].schema.openAPIV3Schema.properties.a.descripton"]
    assert [error.field for error in judge_definition(new).unknown] == paths
    older = [error.field for error in judge_definition(new, kubernetes="1.29").unknown]
    assert older == [*paths, "spec.versions[0].selectableFields"]


def test_strict_decoding_quotes_the_path() -> None:
    new = definition(SCHEMA)
    new["spec"]["a\n"] = 1
    assert [error.detail for error in judge_definition(new).unknown] == ['unknown field "spec.a\\n"']


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        (definition(SCHEMA) | {"apiVersion": "apiextensions.k8s.io/v1beta1"}, "apiextensions.k8s.io/v1"),
        (definition(SCHEMA) | {"spec": 1}, "of type v1.CustomResourceDefinitionSpec"),
    ],
    ids=["version", "type"],
)
def test_an_old_definition_that_no_server_stores_does_not_count(old: Json, reason: str) -> None:
    found = judge_definition(definition(SCHEMA, scope="Cluster"), old)
    assert found.errors == ()
    assert found.ignored_old.endswith(reason)
