"""The API server's parser reads forms of the grammar as deep as our table says."""

import pytest

from tests.support.cel.deep_expressions import ENDLESS, FORMS
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.peer import Peer

# The server's type checker needs many seconds for the deepest of these.
SLOW = ("lists", "maps")


@pytest.mark.parametrize("name", FORMS)
def test_the_deepest_expression(peer: Peer, name: str) -> None:
    form = FORMS[name]
    if name not in SLOW:
        assert "recursion" not in outcome(ask(peer, form.text(form.most), {"type": "integer"}, 1)).get("refused", "")
    refused = outcome(ask(peer, form.text(form.most + 1), {"type": "integer"}, 1))["refused"]
    assert refused == f"compilation failed: ERROR: <input>:-1:0: {form.refusal}"


@pytest.mark.parametrize("name", ENDLESS)
def test_forms_without_a_limit(peer: Peer, name: str) -> None:
    assert "refused" not in outcome(ask(peer, ENDLESS[name](1000), {"type": "integer"}, 1))
