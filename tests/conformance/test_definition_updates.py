"""Updates of definitions: ovnguard answers as the API server's code does.

``python -m tests.support.differential.definition_updates COUNT`` compares many more.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from ovnguard.validators.crd.definition_verdict import judge_definition
from tests.support.differential.definition_updates import generated, update_differences, upstream_pairs
from tests.support.differential.line_peer import LinePeer, line_peer
from tests.support.small_definitions import definition
from tests.support.soak import sized
from tests.testbed.fixtures import need, parts
from tests.testbed.parts import Parts

__all__ = ["parts"]

UPDATES = sized(80, 20_000)
EVERY = sized(47, 1)
"""Of so many pairs of upstream definitions, one is compared."""


@pytest.fixture(scope="module")
def peer(parts: Parts) -> Iterator[LinePeer]:
    need(parts, "crd-verdict")
    with line_peer(parts["crd-verdict"]) as running:
        yield running


def test_answers_to_generated_updates(peer: LinePeer) -> None:
    """Errors with types, paths, texts and order, warnings, and unknown fields."""
    outcomes = Counter[bool]()
    for seed in range(2026_000, 2026_000 + UPDATES):
        pair = generated(seed)
        assert update_differences(peer, pair) == [], f"seed {seed}"
        outcomes[bool(judge_definition(pair["new"], pair["old"]).errors)] += 1
    assert all(count > UPDATES // 10 for count in outcomes.values())
    assert len(outcomes) == 2


def test_answers_to_updates_between_feature_sets_and_versions(peer: LinePeer) -> None:
    pairs = list(upstream_pairs())[::EVERY]
    assert len(pairs) > 5
    for name, pair in pairs:
        assert update_differences(peer, pair) == [], name


def test_a_difference_is_seen(peer: LinePeer) -> None:
    """The proof that the comparison can fail: the program gets another new definition than we do."""
    old = definition({"type": "object"})
    assert update_differences(peer, {"old": old, "new": old}) == []
    changed = definition({"type": "object"}, scope="Cluster")
    text = 'spec.scope: Invalid value: "Cluster": field is immutable'
    assert [one["text"] for one in peer.ask({"old": old, "new": changed})["errors"]] == [text]
    assert [error.text for error in judge_definition(changed, old).errors] == [text]
