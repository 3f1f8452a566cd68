"""The bundled policies never raise, whatever stands in an object; what they are about is told from the table alone."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.bundled_policies import request_of
from ovnguard.validators.bundled.policy_kinds import WATCHED, has_policies_for
from ovnguard.validators.network.cluster_view import NAMESPACE, EmptyView, GroupKind, ObjectsView
from tests.support.soak import examples

_LEAVES = st.none() | st.booleans() | st.integers(-3, 70000) | st.floats(allow_nan=False) | st.text(max_size=6)
_KEYS = st.sampled_from(
    [
        *{key for watched in WATCHED.values() for key in (*watched.keys, *watched.fields)},
        *("zone-mode", "temporary", "annotations", "labels", "release.openshift.io/version"),
    ]
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _objects(draw: st.DrawFn) -> dict[str, Any]:
    kind, watched = draw(st.sampled_from(sorted(WATCHED.items(), key=str)))
    metadata: Any = {
        "name": draw(st.sampled_from(["x", *sorted(watched.names)])),
        "namespace": "openshift-ovn-kubernetes",
        "annotations": draw(_VALUES | st.dictionaries(_KEYS, st.text(max_size=6), max_size=4)),
        "labels": draw(_VALUES),
    }
    api = f"{kind.group}/{watched.version}" if kind.group else watched.version
    body = {key: draw(_VALUES) for key in draw(st.sets(st.sampled_from(["spec", "data", "status"])))}
    return {"apiVersion": api, "kind": kind.kind, "metadata": draw(st.just(metadata) | _VALUES), **body}


@settings(max_examples=examples(30))
@given(_objects(), st.none() | _objects())
def test_every_object_gets_an_answer(obj: dict[str, Any], other: dict[str, Any] | None) -> None:
    old = None if other is None else {**other, "apiVersion": obj["apiVersion"], "kind": obj["kind"]}
    for request in (
        Request(Operation.CREATE, obj),
        Request(Operation.UPDATE, obj, obj if old is None else old),
        Request(Operation.DELETE, None, obj),
    ):
        answer = judge(request, EmptyView())
        assert answer.allowed == (not answer.errors)


def test_objects_that_policies_match() -> None:
    service = GroupKind("", "Service")
    assert not has_policies_for(service, {"metadata": {"annotations": {"a": "b"}}, "spec": {"ports": []}})
    assert has_policies_for(service, {"spec": {"type": "ClusterIP"}})
    assert has_policies_for(
        service, {}, {"metadata": {"annotations": {"kubernetes.io/ingress.global-static-ip-name": "x"}}}
    )
    assert not has_policies_for(GroupKind("apps", "DaemonSet"), {"metadata": {"name": "x"}})
    assert has_policies_for(GroupKind("apps", "DaemonSet"), None, {"metadata": {"name": "ovnkube-node"}})
    assert not has_policies_for(GroupKind("", "Pod"), {"metadata": {"name": "ovnkube-node"}})


def test_a_request_has_the_namespace_that_the_server_would_give_it() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "namespace": "lost"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "blue"}}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    made = [request_of("CREATE", each, None) for each in (node, namespace, service)]
    assert [each and each.namespace for each in made] == ["", "blue", "default"]
    assert request_of("CREATE", {"apiVersion": "v1", "kind": "Pod"}, None) is None
    assert request_of("DELETE", None, None) is None


def test_a_namespace_of_the_view_is_asked_with_the_label_that_every_one_has() -> None:
    label = "k8s.ovn.org/primary-user-defined-network"
    view = ObjectsView(
        [
            {"apiVersion": "v1", "kind": NAMESPACE.kind, "metadata": {"name": "red"}},
            {"apiVersion": "v1", "kind": NAMESPACE.kind, "metadata": {"name": "blue", "labels": {label: ""}}},
        ]
    )
    service = {"apiVersion": "v1", "kind": "Service", "spec": {"type": "NodePort"}}
    warned = {
        name: [error.rule for error in judge(request, view).warnings]
        for name in ("red", "blue", "green")
        for request in [Request(Operation.CREATE, {**service, "metadata": {"name": "web", "namespace": name}})]
    }
    spoken = ["dynamic-allocation-service.ovnguard.io/inactive-nodes-do-not-answer"]
    assert warned == {"red": [], "blue": spoken, "green": []}
