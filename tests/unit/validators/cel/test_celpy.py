"""cel-python as a second opinion on the part of the language that both run: arithmetic, texts, lists, macros, logic."""

import sys
from typing import Any

import celpy
import pytest
from celpy.adapter import json_to_cel
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.cel.cel_compile import CelError, compile_expression

_FORMS = {
    "I": (
        "0",
        "1",
        "2",
        "-7",
        "x",
        "({I} + {I})",
        "({I} - {I})",
        "({I} * {I})",
        "size({S})",
        "({B} ? {I} : {I})",
        "size({L})",
    ),
    "S": ("''", "'a'", "'abc'", "t", "({S} + {S})", "({B} ? {S} : {S})"),
    "L": ("[1, 2, 3]", "[x]", "({L} + {L})", "{L}.filter(v, v > {I})", "{L}.map(v, v * 2)"),
    "B": (
        *(
            "true",
            "false",
            "{I} == {I}",
            "{I} < {I}",
            "{S} == {S}",
            "{S} < {S}",
            "({B} && {B})",
            "({B} || {B})",
            "!({B})",
        ),
        *("{S}.contains({S})", "{S}.startsWith({S})", "{S}.endsWith({S})", "{I} in {L}", "{L}.all(v, v > {I})"),
        *("{L}.exists(v, v == {I})", "{L}.exists_one(v, v == {I})", "{L} == {L}"),
    ),
}
_LEAVES = {kind: [form for form in forms if "{" not in form] for kind, forms in _FORMS.items()}


@st.composite
def expressions(draw):
    def expression(kind, depth):
        parts = draw(st.sampled_from((_FORMS if depth else _LEAVES)[kind])).split("{")
        return parts[0] + "".join(expression(part[0], max(depth - 1, 0)) + part[2:] for part in parts[1:])

    return expression("B", 3)


@pytest.fixture(scope="module", autouse=True)
def recursion_limit():
    """cel-python raises the limit when it is first used; Hypothesis must see one limit throughout."""
    before = sys.getrecursionlimit()
    celpy.Environment(runner_class=celpy.InterpretedRunner)
    yield
    sys.setrecursionlimit(before)


@settings(deadline=None)
@given(expressions())
def test_agrees_with_cel_python(text):
    environment = celpy.Environment(runner_class=celpy.InterpretedRunner)
    values: dict[str, Any] = {"x": 5, "t": "bc"}
    try:
        theirs = environment.program(environment.compile(text)).evaluate(
            {name: json_to_cel(value) for name, value in values.items()}
        )
    except (CELEvalError, CELParseError):
        return  # an opinion is wanted on values only
    schemas = {"x": {"type": "integer"}, "t": {"type": "string"}}
    try:
        ours = compile_expression(text, schemas).evaluate(values)
    except CelError as fault:
        pytest.fail(f"{text}: {fault.text}")
    assert ours is bool(theirs)
