"""One rule against one schema node: verdicts, messages, skipping, refusals."""

import subprocess
import sys

import pytest

from validators.cel import ABSENT, CelError, InvalidRule, compile_expression, compile_rule

SPEC = {
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


@pytest.mark.parametrize("rule", ["self.transport ==", "self.frobnicate()", "  "])
def test_refused_at_compile(rule):
    with pytest.raises(InvalidRule):
        compile_rule(rule, SPEC)


def test_expression_has_a_python_value():
    assert compile_expression("x + 1", {"x": "dyn"}).evaluate({"x": 1}) == 2
    with pytest.raises(CelError) as caught:
        compile_expression("x + ", {"x": "dyn"})
    assert caught.value.phase == "compile"


def test_import_loads_no_parser():
    code = "import sys, validators.cel; sys.exit('celpy' in sys.modules or 'lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
