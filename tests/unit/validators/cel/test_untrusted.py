"""Names and literals of a rule are data: they come back as they went in, and never become code."""

import builtins
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.base.cel_names import escape, unescape
from ovnguard.validators.cel.codegen.expression_parts import Unsupported
from ovnguard.validators.cel.codegen.function_source import fast_code
from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import CelError, compile_expression, compile_rule
from tests.support.generated_rule import FALLBACK, FunctionNames, confirms, estimated_cost, fast
from tests.support.present import present
from tests.support.soak import examples, limit

_OURS = re.compile(
    r"[\s()\[\]{},.!=<>+\-]|k\d+|kv\d+|value|old|and|or|not|in|if|else|is|None|True|False|for|count|get|items"
    r"|startswith|endswith|present|at|list_get|or_value|unwrapped|len_|float_|enumerate_|\d"
)
_HOSTILE = (
    "__import__('os').system('x')",
    "'); raise SystemExit #",
    '"""',
    "{value}",
    "\\",
    "\n",
    "k1",
    "%s",
    "\u2028",
    "\x00",
    "'''",
)
_any_text = st.one_of(st.sampled_from(_HOSTILE), st.text(max_size=20))


def literal(text):
    """A CEL literal of a text, by code points."""
    return "'" + "".join(f"\\U{ord(rune):08x}" for rune in text) + "'"


@settings(deadline=None)
@given(_any_text)
def test_string_literal_comes_back(text):
    encodable = text.encode(errors="ignore").decode()
    assert compile_expression(literal(encodable), {}).evaluate({}) == encodable


@settings(deadline=None)
@given(st.text(alphabet="abc'\"\\xuU018 \n\t{}%", max_size=12), st.sampled_from(["'", '"', "'''", 'r"', "b'"]))
def test_any_text_in_quotes_is_read_or_refused(text, quote):
    try:
        value = compile_expression(f"{quote}{text}{quote.lstrip('rb')}", {}).evaluate({})
    except CelError:
        return
    assert value is None or isinstance(value, (str, bytes, bool, int))


@settings(max_examples=examples(50))
@given(st.text(max_size=60))
def test_any_text_is_a_rule_or_refused(text):
    try:
        rule = compile_rule(text, {"type": "string"}, message="m")
    except InvalidRule:
        return
    assert isinstance(rule.evaluate("a").ok, bool)


@settings(deadline=None)
@given(_any_text, _any_text)
def test_fast_source_holds_no_text_of_the_rule(name, text):
    identifier = escape(name)
    encodable = text.encode(errors="ignore").decode()
    if identifier is None:
        return
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    rule = compile_rule(f"self.{identifier} == {literal(encodable)}", schema, message="m")
    code = fast_code(rule.compiled.checked, rule.decl, FunctionNames())
    assert _OURS.sub("", code) == ""
    assert present(fast(rule))({name: encodable}, None) is True
    assert present(fast(rule))({name: f"{encodable}x"}, None) is False


def test_fast_code_has_no_builtins():
    rule = compile_rule("self == 'a'", {"type": "string"})
    function = present(fast(rule))
    assert function.__globals__["__builtins__"] == {}
    assert builtins.len is function.__globals__["len_"]


@settings(deadline=None)
@given(st.text(min_size=1, max_size=15))
def test_escaping_comes_back(name):
    identifier = escape(name)
    if identifier is not None:
        assert unescape(identifier) == name


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("a-b", "a__dash__b"),
        ("x-y.z", "x__dash__y__dot__z"),
        ("__x", "__underscores__x"),
        ("namespace", "__namespace__"),
        ("a/b", "a__slash__b"),
        ("plain", "plain"),
        ("1a", None),
        ("", None),
        ("a b", None),
        ("a$", None),
    ],
)
def test_escaped_names(name, identifier):
    assert escape(name) == identifier


@pytest.mark.parametrize("depth", [1000, 20_000])
@limit(180)
def test_deep_nesting_is_refused(depth):
    for text in ("[" * depth + "]" * depth, "self" + ".a" * depth, "!(" * depth + "true" + ")" * depth):
        with pytest.raises(InvalidRule):
            compile_rule(f"{text} == 1", {"type": "string"})


@pytest.mark.parametrize(("depth", "fine"), [(100, True), (124, True), (125, False)])
def test_as_deep_as_the_server_reads(depth, fine):
    limit = sys.getrecursionlimit()
    text = "self + (" * depth + "self" + ")" * depth
    try:
        if not fine:
            with pytest.raises(InvalidRule, match="recursion limit exceeded"):
                compile_rule(f"({text}).size() == 1", {"type": "string"})
            return
        rule = compile_rule(f"({text}).size() == {depth + 1}", {"type": "string", "maxLength": 1})
        assert rule.evaluate("a").ok
        assert estimated_cost(rule) > depth
        assert not confirms(rule, "a")  # too deep for Python's own parser
    finally:
        sys.setrecursionlimit(limit)


@limit(180)
def test_long_chain_is_balanced():
    rule = compile_rule(" || ".join(["self == 'b'"] * 3000) + " || self == 'a'", {"type": "string"})
    assert rule.evaluate("a").ok


@pytest.mark.parametrize(
    "rule",
    [
        "lists.range(1000000000).size() > 0",
        "self.matches('(a*)*b')",
        "('a' + self).replace('', self).replace('', self).replace('', self).size() > 0",
        "quantity('1e999999999').isInteger()",
        "int('" + "9" * 5000 + "') > 0",
    ],
)
def test_nothing_takes_long(rule):
    try:
        compiled = compile_rule(rule, {"type": "string"})
    except InvalidRule:
        return
    result = compiled.evaluate("a" * 1000)
    assert result.cost <= 1_000_000


def test_fallbacks_are_ordinary_errors():
    rule = compile_rule("self[3] == 'a'", {"type": "array", "items": {"type": "string"}})
    with pytest.raises(FALLBACK):
        present(fast(rule))([], None)
    with pytest.raises(Unsupported):
        raise Unsupported
