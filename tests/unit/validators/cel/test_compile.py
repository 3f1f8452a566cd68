"""One rule against one schema node: verdicts, messages, skipping, refusals."""

import subprocess
import sys
from typing import Any

import pytest

from ovnguard.validators.cel.types.errors import ABSENT, InvalidRule
from ovnguard.validators.cel.values.cel_values import NONE, Optional, TypeValue, UInt
from tests.support.cel.cel_compile import CelError, compile_expression, compile_rule
from tests.support.soak import limit

TEXT = {"type": "string"}

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "transport": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "subnets": {"type": "array", "items": {"type": "string"}},
    },
}


@pytest.mark.parametrize(
    ("rule", "value", "ok"),
    [
        ("self.count > 2", {"count": 3}, True),
        ("self.count > 2", {"count": 2}, False),
        ("self.ratio > 0.5", {"ratio": 1}, True),
        ("has(self.count) || !has(self.ratio)", {"count": None}, True),
        ("self.subnets.all(s, isCIDR(s))", {"subnets": ["10.0.0.0/8", "fd00::/48"]}, True),
        ("self.subnets.all(s, isCIDR(s))", {"subnets": ["10.0.0.0/33"]}, False),
        ("self.subnets.all(s, isCIDR(s) && cidr(s).ip().family() == 4)", {"subnets": ["10.1.0.0/16"]}, True),
        ("cidr('10.0.0.0/8').containsCIDR(cidr(self.subnets[0]))", {"subnets": ["10.1.0.0/16"]}, True),
        ("cidr(self.subnets[0]).containsIP('10.1.2.3')", {"subnets": ["10.1.0.0/16"]}, True),
        ("cidr(self.subnets[0]).masked() == cidr(self.subnets[0])", {"subnets": ["10.1.0.1/16"]}, False),
        ("cidr(self.subnets[0]).prefixLength() == 16", {"subnets": ["10.1.0.1/16"]}, True),
        ("self.transport.split('/').size() == 2", {"transport": "a/b"}, True),
    ],
)
def test_verdict(rule, value, ok):
    assert compile_rule(rule, SPEC).evaluate(value).ok is ok


def test_false_rule_says_its_message():
    assert compile_rule("self.count > 2", SPEC, message=" too few ").evaluate({"count": 1}).message == "too few"
    assert compile_rule(" self.count > 2", SPEC).evaluate({"count": 1}).message == "failed rule: self.count > 2"


def test_message_expression_comes_before_message():
    rule = compile_rule("self.count > 2", SPEC, message="few", message_expression="'only ' + string(self.count)")
    assert rule.evaluate({"count": 1}).message == "only 1"


def test_transition_rule_is_skipped_without_old_value():
    rule = compile_rule("self.transport == oldSelf.transport", SPEC)
    assert rule.is_transition
    created = rule.evaluate({"transport": "a"}, ABSENT)
    assert (created.ok, created.skipped) == (True, True)
    assert rule.evaluate({"transport": "a"}, {"transport": "a"}).ok
    assert not rule.evaluate({"transport": "b"}, {"transport": "a"}).ok


def test_runtime_error_fails_the_rule():
    result = compile_rule("self.transport == 'a'", SPEC).evaluate({})
    assert not result.ok
    assert result.error == "no such key: transport"
    assert result.message == "no such key: transport evaluating rule: self.transport == 'a'"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"rule": "  "}, "rule is not specified"),
        ({"rule": "true", "message": "  "}, "must be non-empty if specified"),
        ({"rule": "true", "message": "a\nb"}, "must not contain line breaks"),
        ({"rule": "true ||\nfalse"}, "message must be specified if rule contains line breaks"),
        ({"rule": "true", "message_expression": " "}, "messageExpression must be non-empty if specified"),
        ({"rule": "true", "message_expression": "1"}, "messageExpression must evaluate to a string"),
        (
            {"rule": "true", "message_expression": "'a' + 1"},
            "messageExpression compilation failed: ERROR: <input>:1:5: found no matching overload for '_+_' applied to "
            "'(string, int)'\n | 'a' + 1\n | ....^",
        ),
        ({"rule": "1"}, "cel expression must evaluate to a bool"),
        (
            {"rule": "true", "reason": "Foo"},
            'Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", '
            '"FieldValueInvalid", "FieldValueRequired"',
        ),
        ({"rule": "true", "field_path": " "}, "must be non-empty if specified"),
        ({"rule": "true", "field_path": ".zzz"}, "must be a valid path"),
        ({"rule": "true", "optional_old_self": False}, "may not be set if oldSelf is not used in rule"),
        (
            {"rule": "self.zzz == 1"},
            "compilation failed: ERROR: <input>:1:5: undefined field 'zzz'\n | self.zzz == 1\n | ....^",
        ),
    ],
)
def test_refused_at_compile(options, text):
    with pytest.raises(InvalidRule) as caught:
        compile_rule(schema=SPEC, **options)
    assert caught.value.text == text


def test_refusal_has_a_place():
    with pytest.raises(InvalidRule) as caught:
        compile_rule("self.count > 1 &&\n  self.zzz", SPEC, message="m")
    assert (caught.value.line, caught.value.column) == (2, 7)


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        (".transport", "transport"),
        (".labels.k", "labels[k]"),
        (".labels['a b']", "labels[a b]"),
        ("['count']", "count"),
    ],
)
def test_field_path(path, normal):
    schema = {**SPEC, "properties": {**SPEC["properties"], "labels": {"additionalProperties": {"type": "string"}}}}
    assert compile_rule("self.count > 0", schema, field_path=path).field_path == normal


def test_optional_old_self_is_always_evaluated():
    rule = compile_rule("oldSelf.hasValue() ? self == oldSelf.value() : self == 'new'", TEXT, optional_old_self=True)
    assert rule.evaluate("new").ok
    assert not rule.evaluate("other").ok
    assert rule.evaluate("other", "other").ok
    assert not rule.evaluate("other", "before").ok


@pytest.mark.parametrize(
    ("expression", "message"),
    [("' x '", "x"), ("''", "fallback"), ("'a\\nb'", "fallback"), ("self[7]", "fallback"), ("'y' * 1", None)],
)
def test_message_expression_falls_back(expression, message):
    schema = {"type": "array", "items": {"type": "string"}}
    if message is None:
        with pytest.raises(InvalidRule):
            compile_rule("false", schema, message_expression=expression)
        return
    rule = compile_rule("size(self) < 0", schema, message="fallback", message_expression=expression)
    assert rule.evaluate([]).message == message


@limit(180)
def test_call_stops_at_its_limit():
    numbers = {"type": "array", "items": {"type": "integer"}}
    rule = compile_rule("self.all(x, self.all(y, x + y >= 0))", numbers)
    result = rule.evaluate(list(range(600)))
    assert (result.ok, result.stops, result.cost) == (False, True, 1_000_001)
    assert result.message == (
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost "
        "exceeds limit for rule: self.all(x, self.all(y, x + y >= 0))"
    )
    assert rule.evaluate(list(range(300))).ok


def test_building_a_list_is_linear():
    numbers = {"type": "array", "items": {"type": "integer"}}
    rule = compile_rule("self.map(x, x + 1).size() == 60000", numbers)
    assert rule.evaluate([1] * 60_000).cost == 840_004


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"count": 1.0}, "invalid data, expected int, got float64"),
        ({"count": 2**63}, "invalid data, expected int, got float64"),
        ({"count": None}, "no such key: count"),
        ({}, "no such key: count"),
    ],
)
def test_data_of_another_type_fails_where_it_is_read(value, error):
    result = compile_rule("self.count > 0", SPEC).evaluate(value)
    assert (result.ok, result.error) == (False, error)
    assert compile_rule("self.transport == 'a'", SPEC).evaluate({**value, "transport": "a"}).ok


@pytest.mark.parametrize(
    ("rule", "since"),
    [
        ("isIP(self)", 30),
        ("isCIDR(self)", 30),
        ("format.dns1123Label().validate(self).hasValue()", 31),
        ("[1].all(i, v, v == 1)", 32),
        ("[1].transformMap(i, v, v) == {0: 1}", 32),
        ("isSemver(self)", 33),
        ("[1].sort() == [1]", 34),
        ("[1].sortBy(x, x) == [1]", 34),
        ("quantity('1').isInteger() && sets.contains([1], [1]) && self.?x.hasValue() == false || true", 99),
    ],
)
def test_functions_come_with_versions(rule, since):
    for minor in (29, 30, 31, 32, 33, 34, 35):
        if minor >= since:
            compile_rule(rule, TEXT, kubernetes=f"1.{minor}")
        else:
            with pytest.raises(InvalidRule, match="ERROR"):
                compile_rule(rule, TEXT, kubernetes=f"1.{minor}")


@pytest.mark.parametrize("version", ["1.28", "2.0", "latest", "1"])
def test_unknown_version(version):
    with pytest.raises(ValueError, match="Kubernetes version"):
        compile_rule("true", TEXT, kubernetes=version)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + 1", 2),
        ("uint(x)", UInt(1)),
        ("[x, x]", [1, 1]),
        ("{'a': [x], 'b': []}", {"a": [1], "b": []}),
        ("b'a'", b"a"),
        ("null", None),
        ("optional.of(x)", Optional(present=True, value=1)),
        ("optional.none()", NONE),
        ("type(x)", TypeValue("int")),
        ("x > 0 ? 1.5 : 2.0", 1.5),
    ],
)
def test_expression_has_a_python_value(text, value):
    found = compile_expression(text, {"x": "dyn"}).evaluate({"x": 1})
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("timestamp('2020-01-01T00:00:00.5Z')", "2020-01-01T00:00:00.5Z"),
        ("duration('90m')", "1h30m0s"),
        ("duration('1500us')", "1.5ms"),
        ("ip('2001:DB8::1')", "2001:db8::1"),
        ("cidr('10.1.2.3/8').masked()", "10.0.0.0/8"),
        ("quantity('1024Mi')", "1Gi"),
        ("quantity('0.5').add(quantity('250m'))", "750m"),
        ("semver('v1.02', true)", "1.2.0"),
        ("url('HTTPS://h:1/a b?c=d#e')", "https://h:1/a%20b?c=d#e"),
    ],
)
def test_expression_of_another_type_prints_canonically(text, shown):
    assert str(compile_expression(text, {}).evaluate({})) == shown


def test_expression_under_a_schema():
    spec = compile_expression("self.count + size(self.subnets)", {"self": SPEC})
    assert spec.evaluate({"self": {"count": 2, "subnets": ["a"]}}) == 3
    with pytest.raises(CelError) as caught:
        spec.evaluate({"self": {"count": 2}})
    assert (caught.value.phase, caught.value.text) == ("eval", "no such key: subnets")


def test_expression_that_does_not_compile():
    with pytest.raises(CelError) as caught:
        compile_expression("x + ", {"x": "dyn"})
    assert caught.value.phase == "compile"


def test_import_loads_no_parser():
    code = "import sys, ovnguard.validators.cel; sys.exit(bool({'celpy', 'lark', 're2'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
