"""Rules about functions of the libraries have the outcome, text and cost that the API server's own code gives them.

$OVNGUARD_PEER_SEED sets another seed.
"""

import os

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule
from tests.support.cel.function_rules import FunctionRules
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.peer import Peer
from tests.support.soak import limit, sized

SEED = int(os.environ.get("OVNGUARD_PEER_SEED", "1"))
SHOWN = 5


def judged(rule: str) -> dict[str, object]:
    """Our outcome in the form of the peer's."""
    try:
        compiled = compile_rule(rule, {"type": "integer"}, message="MSG")
    except InvalidRule as refused:
        return {"refused": refused.text}
    result = compiled.evaluate(1)
    return {"ok": result.ok, "text": result.message, "cost": result.cost}


@limit(300)
def test_rules_have_the_servers_outcome(peer: Peer) -> None:
    rules = FunctionRules(SEED)
    wrong, evaluated = [], 0
    for _ in range(sized(400, 50_000)):
        rule = rules.rule()
        theirs = outcome(ask(peer, rule, {"type": "integer"}, 1))
        theirs.pop("estimate", None)
        evaluated += "ok" in theirs
        if judged(rule) != theirs:
            wrong.append(f"{rule}\n  ours {judged(rule)}\n  peer {theirs}")
    assert evaluated > 100
    assert not wrong, "\n".join([f"{len(wrong)} differ", *wrong[:SHOWN]])
