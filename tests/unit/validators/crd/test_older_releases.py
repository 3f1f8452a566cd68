"""What releases before 1.35 say otherwise; every text confirmed by that release's own code.

The API server prints an address of its memory for a pointer; here each is the same.
"""

import re
from typing import Any

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from tests.support.small_definitions import compiled, definition

SPEC = "spec.validation.openAPIV3Schema.properties[spec]"
RULE = f"{SPEC}.x-kubernetes-validations[0]"
NUMBERS = {"a": {"type": "integer", "nullable": True}, "b": {"type": "integer"}}
GO_RULE = (
    'apiextensions.ValidationRule{Rule:"%s", Message:"", MessageExpression:"",'
    ' Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}'
)


def refused(crd: dict[str, Any], kubernetes: str) -> list[str]:
    """The errors of a definition, without the numbers of types."""
    try:
        compile_crd(crd, kubernetes=kubernetes)
    except InvalidCRD as fault:
        return [re.sub(r"selfType\d+", "selfType", error.text_of(kubernetes)) for error in fault.errors]
    return []


def with_spec(**spec: Any) -> dict[str, Any]:
    return definition({"type": "object", "properties": {"spec": spec}})


def with_rule(rule: str, **more: Any) -> dict[str, Any]:
    rules = [{"rule": rule, **more}]
    return with_spec(type="object", properties=NUMBERS, **{"x-kubernetes-validations": rules})


@pytest.mark.parametrize(
    ("kubernetes", "texts"),
    [
        ("1.29", []),
        ("1.30", []),
        ("1.31", ['Invalid value: ".a": is an invalid path: does not refer to a valid field']),
    ],
)
def test_selectable_fields_count_since_1_31(kubernetes: str, texts: list[str]) -> None:
    crd = definition({"type": "object"}, selectableFields=[{"jsonPath": ".a"}])
    assert refused(crd, kubernetes) == [f"spec.selectableFields[0].jsonPath: {text}" for text in texts]


@pytest.mark.parametrize(("kubernetes", "known"), [("1.29", False), ("1.30", True)])
def test_selectable_fields_are_decoded_since_1_30(kubernetes: str, known: bool) -> None:
    crd = definition({"type": "object"}, selectableFields=1)
    text = "json: cannot unmarshal number into Go struct field CustomResourceDefinitionVersion.spec.versions"
    path = "spec.versions[0].selectableFields"
    wanted = [f"{path}: Invalid value: {text}.selectableFields of type []v1.SelectableField"]
    assert refused(crd, kubernetes) == (wanted if known else [])


@pytest.mark.parametrize(
    ("kubernetes", "missing", "selectable"),
    [
        (
            "1.33",
            "Required value: schemas are required",
            "selectableFields may only be set when validations.schema is included",
        ),
        ("1.34", "Required value", "may only be set when validations.schema is included"),
    ],
)
def test_a_version_without_a_schema(kubernetes: str, missing: str, selectable: str) -> None:
    crd = definition({"type": "object"}, selectableFields=[{"jsonPath": ".a"}])
    del crd["spec"]["versions"][0]["schema"]
    assert refused(crd, kubernetes) == [
        f"spec.versions[0].schema.openAPIV3Schema: {missing}",
        f'spec.selectableFields: Invalid value: "": {selectable}',
    ]


@pytest.mark.parametrize(("kubernetes", "counts"), [("1.30", True), ("1.31", False)])
def test_closed_branches_are_refused_before_1_31(kubernetes: str, counts: bool) -> None:
    where = f"{SPEC}.anyOf[0].additionalProperties"
    wanted = [f"{where}: Forbidden: must be undefined to be structural"] if counts else []
    assert refused(with_spec(type="object", anyOf=[{"additionalProperties": False}]), kubernetes) == wanted


@pytest.mark.parametrize(
    ("kubernetes", "field"), [("1.34", "properties.items"), (DEFAULT_KUBERNETES, "properties.items.minLength")]
)
def test_before_1_35_an_undecodable_value_has_the_outermost_field(kubernetes: str, field: str) -> None:
    crd = with_spec(type="array", items={"type": "string", "minLength": "x"})
    place = f"Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.{field}"
    where = "spec.versions[0].schema.openAPIV3Schema.properties[spec].items.minLength"
    assert refused(crd, kubernetes) == [
        f"{where}: Invalid value: json: cannot unmarshal string into {place} of type int64"
    ]


GO_VERSION = (
    'apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:true, Deprecated:false,'
    " DeprecationWarning:(*string)(nil), Schema:(*apiextensions.CustomResourceValidation)(nil),"
    " Subresources:(*apiextensions.CustomResourceSubresources)(0xc000000000),"
    " AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil)%s}"
)
JSON_VERSION = (
    '{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,'
    '"Subresources":{"Status":null,"Scale":null},"AdditionalPrinterColumns":null,"SelectableFields":null}'
)
JSON_OTHER = JSON_VERSION.replace('{"Status":null,"Scale":null}', '{"Status":{},"Scale":null}')


@pytest.mark.parametrize(
    ("kubernetes", "shown"),
    [
        ("1.29", "[]apiextensions.CustomResourceDefinitionVersion{%s, %s}" % ((GO_VERSION % "",) * 2)),
        (
            "1.33",
            "[]apiextensions.CustomResourceDefinitionVersion{%s, %s}"
            % ((GO_VERSION % ", SelectableFields:[]apiextensions.SelectableField(nil)",) * 2),
        ),
        ("1.34", f"[{JSON_VERSION},{JSON_OTHER}]"),
    ],
)
def test_structs_are_in_go_syntax_before_1_34(kubernetes: str, shown: str) -> None:
    crd = definition({"type": "object"}, subresources={})
    [version] = crd["spec"]["versions"]
    crd["spec"]["versions"] = [version, {**version, "subresources": {"status": {}}}]
    assert f"spec.versions: Invalid value: {shown}: must contain unique version names" in refused(crd, kubernetes)


@pytest.mark.parametrize(("kubernetes", "text"), [("1.33", "message must be"), ("1.34", "must be")])
def test_texts_of_rules(kubernetes: str, text: str) -> None:
    wanted = [f'{RULE}.message: Invalid value: " ": {text} non-empty if specified']
    assert refused(with_rule("true", message=" "), kubernetes) == wanted


@pytest.mark.parametrize(
    ("kubernetes", "fault"),
    [
        (
            "1.29",
            "compilation failed: ERROR: <input>:1:18: found no matching overload for 'hasValue' applied to"
            " 'selfType.()'\n | !oldSelf.hasValue()\n | .................^",
        ),
        ("1.30", ""),
    ],
)
def test_optional_old_self_counts_since_1_30(kubernetes: str, fault: str) -> None:
    rule = "!oldSelf.hasValue()"
    wanted = [f"{RULE}.rule: Invalid value: {GO_RULE % rule}: {fault}"] if fault else []
    assert refused(with_rule(rule, optionalOldSelf=True), kubernetes) == wanted


@pytest.mark.parametrize(
    ("kubernetes", "fault"),
    [
        (
            "1.32",
            "1:9: found no matching overload for '@not_strictly_false' applied to '(int)'\n"
            " | [1].all(__result__, true)\n | .......^\n"
            "ERROR: <input>:1:8: expected type 'bool' but found 'int'\n | [1].all(__result__, true)\n | .......^",
        ),
        (
            "1.33",
            "1:9: iteration variable overwrites accumulator variable\n | [1].all(__result__, true)\n | ........^",
        ),
    ],
)
def test_before_1_33_a_variable_may_hide_the_accumulator(kubernetes: str, fault: str) -> None:
    rule = "[1].all(__result__, true)"
    fault = fault.replace("1:9: found", "1:8: found")
    wanted = f"{RULE}.rule: Invalid value: {GO_RULE % rule}: compilation failed: ERROR: <input>:{fault}"
    assert refused(with_rule(rule), kubernetes) == [wanted]


@pytest.mark.parametrize(("kubernetes", "is_refused"), [("1.31", True), ("1.32", False)])
def test_before_1_32_the_target_of_opt_map_has_one_type(kubernetes: str, is_refused: bool) -> None:
    rule = "optional.none().optMap(x, true).orValue(true)"
    fault = f"<input>:1:14: incompatible type already exists\n | {rule}\n | .............^"
    wanted = [f"{RULE}.rule: Invalid value: {GO_RULE % rule}: compilation failed: ERROR: {fault}"]
    assert refused(with_rule(rule), kubernetes) == (wanted if is_refused else [])


@pytest.mark.parametrize(("kubernetes", "on_default"), [("1.33", True), ("1.34", False)])
def test_rules_on_defaults_may_use_what_the_release_introduced(kubernetes: str, on_default: bool) -> None:
    rules = [{"rule": "[2, 1].distinct().size() == 2"}]
    crd = with_spec(type="integer", default=1, **{"x-kubernetes-validations": rules})
    texts = refused(crd, kubernetes)
    assert [text.partition(":")[0] for text in texts] == [f"{SPEC}.default" if on_default else f"{RULE}.rule"]


@pytest.mark.parametrize(("kubernetes", "shown"), [("1.33", 'map[string]interface {}{"a":1}'), ("1.34", '{"a":1}')])
def test_embedded_resources(kubernetes: str, shown: str) -> None:
    spec = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    refusal = compiled(spec, kubernetes).verdict({**head, "spec": {"kind": {"a": 1}}}).refusal
    assert refusal is not None
    assert refusal.message.endswith(f"spec.kind: Invalid value: {shown}: must be a string")


@pytest.mark.parametrize(("kubernetes", "texts"), [("1.33", 3), ("1.34", 0)])
def test_a_length_bounds_an_int_or_string_since_1_34(kubernetes: str, texts: int) -> None:
    rules = [{"rule": "self.all(x, self.all(y, string(x).contains(string(y))))"}]
    items = {"x-kubernetes-int-or-string": True, "maxLength": 10}
    crd = with_spec(type="array", items=items, maxItems=100, **{"x-kubernetes-validations": rules})
    assert len(refused(crd, kubernetes)) == texts


def judged(crd: CompiledCRD, spec: Any, old: Any = None, **meta: Any) -> list[str]:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", **meta}}
    before = None if old is None else {**head, "metadata": {"name": "x"}, "spec": old}
    return [error.text for error in crd.verdict({**head, "spec": spec}, before).errors]


def numbers(kubernetes: str, *rules: dict[str, Any]) -> CompiledCRD:
    spec = {"type": "object", "properties": NUMBERS, "x-kubernetes-validations": list(rules)}
    return compiled(spec, kubernetes)


@pytest.mark.parametrize(
    ("kubernetes", "texts"),
    [("1.33", ['spec: Invalid value: "object": failed rule: self == self']), ("1.34", [])],
)
def test_before_1_34_an_object_with_a_null_differs_from_itself(kubernetes: str, texts: list[str]) -> None:
    crd = numbers(kubernetes, {"rule": "self == self"})
    assert judged(crd, {"a": None, "b": 1}) == texts
    assert judged(crd, {"a": 1, "b": 1}) == []


@pytest.mark.parametrize(("kubernetes", "field"), [("1.29", "spec.a.b"), ("1.30", "spec.b")])
def test_before_1_30_later_rules_inherit_the_field_path(kubernetes: str, field: str) -> None:
    rules = [{"rule": "self.b > 1", "message": one, "fieldPath": f".{one}"} for one in ("a", "b")]
    assert judged(numbers(kubernetes, *rules), {"b": 1}) == [
        'spec.a: Invalid value: "object": a',
        f'{field}: Invalid value: "object": b',
    ]


GO_OWNER = (
    'v1.OwnerReference{APIVersion:"v1", Kind:"Pod", Name:"p", UID:"%s",'
    " Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}"
)
JSON_OWNER = '{"apiVersion":"v1","kind":"Pod","name":"p","uid":"%s","controller":true}'


@pytest.mark.parametrize(
    ("kubernetes", "shown"),
    [
        ("1.33", f"[]v1.OwnerReference{{{GO_OWNER % 'u'}, {GO_OWNER % 'v'}}}"),
        ("1.34", f"[{JSON_OWNER % 'u'},{JSON_OWNER % 'v'}]"),
    ],
)
def test_owners(kubernetes: str, shown: str) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "controller": True}
    owners = [{**owner, "uid": uid} for uid in "uv"]
    found = 'Found "true" in references for Pod/p and Pod/p'
    detail = f"Only one reference can have Controller set to true. {found}"
    crd = numbers(kubernetes)
    assert judged(crd, {}, ownerReferences=owners) == [f"metadata.ownerReferences: Invalid value: {shown}: {detail}"]


@pytest.mark.parametrize(
    ("kubernetes", "shown"), [("1.33", "2020-01-01 00:00:00 +0000 UTC"), ("1.34", '"2020-01-01T00:00:00Z"')]
)
def test_times(kubernetes: str, shown: str) -> None:
    crd = numbers(kubernetes)
    text = f"metadata.deletionTimestamp: Invalid value: {shown}: field is immutable"
    assert judged(crd, {}, {}, deletionTimestamp="2020-01-01T00:00:00Z") == [text, text]


@pytest.mark.parametrize(("kubernetes", "unit"), [("1.34", "characters"), (DEFAULT_KUBERNETES, "bytes")])
def test_lengths_of_labels(kubernetes: str, unit: str) -> None:
    text = f'metadata.labels: Invalid value: "{"z" * 64}": must be no more than 63 {unit}'
    assert judged(numbers(kubernetes), {}, labels={"a": "z" * 64}) == [text]


@pytest.mark.parametrize(("kubernetes", "path"), [("1.31", ""), ("1.32", "including a path (/) ")])
def test_warnings_about_finalizers(kubernetes: str, path: str) -> None:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "finalizers": ["a.b"]}}
    assert numbers(kubernetes).verdict(head).warnings == (
        f'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name {path}'
        "to avoid accidental conflicts with other finalizer writers",
    )


@pytest.mark.parametrize(
    ("rule", "kubernetes", "cost"),
    [
        ("optional.of(self.b).optMap(x, 1).hasValue()", "1.31", 10),
        ("optional.of(self.b).optMap(x, 1).hasValue()", "1.32", 6),
        ("has(self.a)", "1.30", 1),
        ("has(self.a)", "1.31", 0),
    ],
)
def test_costs(rule: str, kubernetes: str, cost: int) -> None:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    # A rule about stored data of another type, which ratcheting keeps, evaluates to an error.
    spec: Any = [] if rule.startswith("has") else {"b": 1}
    verdict = numbers(kubernetes, {"rule": rule}).verdict({**head, "spec": spec}, {**head, "spec": spec})
    assert verdict.cost == cost
