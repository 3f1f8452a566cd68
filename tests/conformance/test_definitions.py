"""Our errors of definitions against the API server's own code, on generated definitions, most of them broken.

$OVNGUARD_PEER_SEED sets other seeds. A soak compares 50 times as many.
"""

import os

import pytest

from tests.support.differential.causes import known_name
from tests.support.differential.definition_verdicts import definition_differences
from tests.support.differential.definitions import DefinitionGenerator
from tests.support.differential.peer import Peer
from tests.support.soak import limit, sized

SEED = int(os.environ.get("OVNGUARD_PEER_SEED", "1"))
EACH = sized(200, 10_000)
SHOWN = 5


@pytest.mark.parametrize("part", range(3))
@limit(900)
def test_generated_definitions(peer: Peer, part: int) -> None:
    first = SEED * 1_000_000 + part * EACH
    wrong = {}
    for seed in range(first, first + EACH):
        found = definition_differences(peer, DefinitionGenerator(seed).make())
        if found and not known_name("definitions", found):
            wrong[seed] = "\n".join(found)
    assert not wrong, "\n\n".join(f"{seed}:\n{text}" for seed, text in list(wrong.items())[:SHOWN])
