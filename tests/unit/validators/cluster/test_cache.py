"""Lists that become empty: what was seen being deleted, and what only disappeared."""

from typing import Any

from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.cache import Cache
from ovnguard.validators.cluster.live_view import LiveView
from ovnguard.validators.cluster.resources import CUDNS, NODES, Part


def obj(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}}


def test_a_cache_is_emptied_until_an_object_returns():
    cache = Cache(NODES)
    cache.replace([])
    assert not cache.emptied
    cache.replace([obj("a"), obj("b")])
    assert not cache.emptied
    cache.replace([])
    assert cache.emptied
    cache.replace([])
    assert cache.emptied
    cache.put(obj("a"))
    assert not cache.emptied


def test_objects_that_are_seen_being_deleted_do_not_count():
    cache = Cache(NODES)
    cache.replace([obj("a")])
    cache.drop(obj("a"))
    assert not cache.emptied
    cache.replace([])
    assert not cache.emptied


def test_a_kind_that_returns_without_objects_is_emptied():
    """As after the definition and its objects are restored in part."""
    cache = Cache(CUDNS)
    cache.replace([obj("a")])
    cache.not_served()
    assert not cache.emptied
    cache.replace([])
    assert cache.emptied
    assert LiveView([cache, Cache(NODES)]).emptied() == {CUDNS.group_kind}


def test_a_change_that_does_not_wake_is_kept():
    cache = Cache(NODES, Part(wakes=trim.node))
    node = {"metadata": {"name": "a", "resourceVersion": "1"}, "status": {"addresses": [1], "conditions": [1]}}
    cache.replace([])
    assert cache.put(node)
    beat = {"metadata": {"name": "a", "resourceVersion": "2"}, "status": {"addresses": [1], "conditions": [2]}}
    assert not cache.put(beat)
    (kept,) = cache.objects() or ()
    assert kept["metadata"]["resourceVersion"] == "2"
    assert not cache.put(beat)
    moved = {"metadata": {"name": "a", "resourceVersion": "3"}, "status": {"addresses": [2], "conditions": [2]}}
    assert cache.put(moved)


def test_a_list_after_a_lost_watch_changes_only_what_differs():
    cache = Cache(NODES)
    cache.replace([obj("a"), obj("b")])
    before = cache.objects()
    cache.replace([obj("b"), obj("a")])
    assert cache.objects() is before
    cache.replace([obj("a"), {"metadata": {"name": "b", "labels": {"new": ""}}}])
    now = cache.objects()
    assert before is not None
    assert now is not None
    assert (now[0] is before[0], now[1] is before[1]) == (True, False)
    cache.replace([obj("a")])
    assert cache.objects() == before[:1]
