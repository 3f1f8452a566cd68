"""Digests of a state of the cluster: what they follow, and what they do not read twice."""

from typing import Any

from ovnguard.reconciler.loop.process.frozen_view import Fingerprint
from ovnguard.validators.network.cluster_view import CUDN, NODE, GroupKind
from tests.support.fake_cluster import cudn, node


class View:
    """A view like a live one: the same sequence until an object changes."""

    def __init__(self, **kinds: Any) -> None:
        self.held: dict[GroupKind, Any] = {NODE: (node(),), CUDN: (cudn("blue"),)}

    def objects(self, kind: GroupKind) -> Any:
        return self.held.get(kind)


class Unread(tuple[Any, ...]):
    """A sequence that may be read once."""

    reads = 0

    def __iter__(self):
        self.reads += 1
        return super().__iter__()


def test_what_did_not_change_is_not_read_again():
    view, digests = View(), Fingerprint()
    view.held[NODE] = nodes = Unread((node(),))
    first = digests.of(view)
    assert (nodes.reads, digests.of(view)) == (1, first)
    view.held[CUDN] = (cudn("green"),)
    assert digests.of(view) != first
    assert nodes.reads == 1
    # equal content in another sequence is the same state
    view.held |= {CUDN: (cudn("blue"),), NODE: (node(),)}
    assert digests.of(view) == first == Fingerprint().of(view)


def test_a_kind_that_is_not_known_is_not_an_empty_one():
    view = View()
    known = Fingerprint().of(view)
    view.held[CUDN] = ()
    empty = Fingerprint().of(view)
    del view.held[CUDN]
    assert len({known, empty, Fingerprint().of(view)}) == 3
