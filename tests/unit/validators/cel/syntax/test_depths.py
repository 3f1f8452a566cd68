"""Expressions are read as deep as the API server's parser reads them."""

import sys
from collections.abc import Iterator

import pytest

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule
from tests.support.cel.deep_expressions import ENDLESS, FORMS


@pytest.fixture(autouse=True)
def _recursion_limit() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("name", FORMS)
def test_the_deepest_expression(name: str) -> None:
    form = FORMS[name]
    compile_rule(form.text(form.most), {"type": "integer"}).evaluate(1)
    with pytest.raises(InvalidRule) as refused:
        compile_rule(form.text(form.most + 1), {"type": "integer"})
    assert refused.value.text == f"compilation failed: ERROR: <input>:-1:0: {form.refusal}"


@pytest.mark.parametrize("name", ENDLESS)
def test_forms_without_a_limit(name: str) -> None:
    assert compile_rule(ENDLESS[name](1000), {"type": "integer"}).evaluate(1).ok


def test_macros_that_copy_their_target_do_not_grow_the_tree_without_end() -> None:
    with pytest.raises(InvalidRule, match="expression recursion limit exceeded"):
        compile_rule("optional.of(1)" + ".optMap(x, x)" * 40 + ".hasValue()", {"type": "integer"})
