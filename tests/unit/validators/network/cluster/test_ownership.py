"""Which attachments count as rendered: those that a stored network proves, and no others."""

import copy
from typing import Any

import pytest

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.ownership import Ownership, claim_of, is_foreign
from ovnguard.validators.network.cluster_view import CUDN, NAD, NAMESPACE, UDN, ClusterView, GroupKind, ObjectsView
from ovnguard.validators.network.operators import DEFAULT_CLUSTER_MANAGERS
from tests.attacks.forged_owners import with_owner
from tests.support.manifests.network_objects import JsonObject, layer2, nad, rendered, stored, udn

BLUE = stored(layer2("10.41.0.0/16"))
OWN = stored(udn(topology="Layer2", layer2={"role": "Secondary", "subnets": ["10.42.0.0/16"]}))
SPACE: JsonObject = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "red"}}
MANAGER = next(iter(sorted(DEFAULT_CLUSTER_MANAGERS)))
TENANT = "system:serviceaccount:red:default"


class Live:
    """A view that holds all objects of some kinds, as that of a cluster does."""

    def __init__(self, *objects: JsonObject, kinds: tuple[GroupKind, ...] = (CUDN, UDN, NAD, NAMESPACE)) -> None:
        known = ObjectsView(objects)
        self.held = {kind: tuple(known.objects(kind) or ()) for kind in kinds}

    def objects(self, kind: GroupKind) -> tuple[JsonObject, ...] | None:
        return self.held.get(kind)


def named(obj: JsonObject, **metadata: Any) -> JsonObject:
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


@pytest.mark.parametrize(
    ("attachment", "expected"),
    [
        (rendered(BLUE), Ownership.RENDERED),
        (rendered(OWN), Ownership.RENDERED),
        (nad(), None),
        (with_owner(rendered(BLUE), apiVersion="apps/v1"), None),
        (with_owner(rendered(BLUE), kind="Deployment"), None),
        (with_owner(rendered(BLUE), controller="true"), None),
        (with_owner(rendered(BLUE), uid="forged"), Ownership.REFUTED),
        (with_owner(rendered(BLUE), name="other"), Ownership.REFUTED),
        (named(rendered(BLUE), name="other"), Ownership.REFUTED),
        (named(rendered(OWN), namespace="sky"), Ownership.REFUTED),
        (rendered(BLUE) | {"spec": nad(name="cluster_udn_other")["spec"]}, Ownership.REFUTED),
        (rendered(BLUE) | {"spec": {"config": "{"}}, Ownership.REFUTED),
    ],
)
def test_a_stored_network_proves_or_refutes_a_claim(attachment: JsonObject, expected: Ownership | None) -> None:
    view = Live(BLUE, OWN)
    assert inventory_of(view).ownership(attachment) is expected
    # a folder need not hold what an attachment names
    folder = ObjectsView([BLUE, OWN])
    absent = (
        expected is Ownership.REFUTED and (claim := claim_of(attachment)) and claim.key.title in ("other", "sky/blue")
    )
    assert inventory_of(folder).ownership(attachment) is (Ownership.UNKNOWN if absent else expected)


def test_a_network_that_the_view_cannot_hold_is_unknown() -> None:
    attachment = rendered(BLUE)
    for view, expected in (
        (Live(kinds=(NAD,)), Ownership.UNKNOWN),
        (ObjectsView([layer2("10.41.0.0/16")]), Ownership.UNKNOWN),
        (Live(), Ownership.REFUTED),
    ):
        assert inventory_of(view).ownership(attachment) is expected


def test_an_exported_attachment_agrees_with_the_manifest_of_its_network() -> None:
    manifest, attachment = {**BLUE, "metadata": {"name": "blue"}}, rendered(BLUE)
    labels = {"k8s.ovn.org/primary-user-defined-network": ""}
    folder = ObjectsView([manifest, attachment, {**SPACE, "metadata": {"name": "red", "labels": labels}}])
    assert inventory_of(folder).ownership(attachment) is Ownership.UNKNOWN
    assert rules(judged(manifest, folder)) == rules(judged(attachment, folder)) == set()
    # the names of the attachment must still be those that OVN-Kubernetes derives
    other = {**attachment, "metadata": attachment["metadata"] | {"name": "other"}}
    assert not inventory_of(ObjectsView([manifest, other])).is_rendered(other)


def test_whose_place_an_attachment_takes() -> None:
    view, empty = Live(BLUE), Live()
    held, none = inventory_of(view).owners(), inventory_of(empty).owners()
    assert not is_foreign(rendered(BLUE), BLUE, held)
    assert is_foreign(with_owner(rendered(BLUE), uid="forged"), BLUE, held)
    assert is_foreign(nad(), BLUE, held)
    manifest = layer2("10.41.0.0/16")
    # the stored network of that name tells the uid of a manifest
    assert is_foreign(with_owner(rendered(BLUE), uid="forged"), manifest, held)
    assert not is_foreign(with_owner(rendered(BLUE), uid="forged"), manifest, none)


def judged(attachment: JsonObject, view: ClusterView, **request: Any) -> Judgement:
    return judge(Request(Operation.CREATE, attachment)._replace(**request), view)


def rules(answer: Judgement) -> set[str]:
    return {error.rule for error in (*answer.errors, *answer.warnings)}


def test_only_the_cluster_manager_renders_attachments() -> None:
    view = Live(BLUE, SPACE)
    assert rules(judged(rendered(BLUE), view, user=MANAGER)) == set()
    forged = judged(rendered(BLUE), view, user=TENANT)
    assert not forged.allowed
    assert {"OVNG-L2-011", "OVNG-L2-037"} <= rules(forged)
    # whoever asks is not known offline
    assert rules(judged(rendered(BLUE), view)) == set()
    assert judged(rendered(BLUE), view, user="operator:ovn", managers=frozenset({"operator:"})).allowed


def test_a_tenant_cannot_rewrite_a_rendered_attachment() -> None:
    attachment = rendered(BLUE)
    view = Live(BLUE, SPACE, attachment)
    other = rendered(BLUE, subnets="10.99.0.0/16")
    update = {"operation": Operation.UPDATE, "old": attachment}
    assert "OVNG-L2-037" in rules(judged(other, view, user=TENANT, **update))
    assert rules(judged(other, view, user=MANAGER, **update)) == set()
    labelled = named(attachment, labels={"team": "red"})
    assert rules(judged(labelled, view, user=TENANT, **update)) == set()


def test_the_garbage_collector_may_remove_the_reference_of_an_orphan() -> None:
    attachment = rendered(BLUE)
    view = Live(BLUE, SPACE, attachment)
    orphan = {**attachment, "metadata": {"name": "blue", "namespace": "red"}}
    update = {"operation": Operation.UPDATE, "old": attachment, "user": "system:serviceaccount:kube-system:gc"}
    assert judged(orphan, view, **update).allowed
    rewritten = {**orphan, "spec": rendered(BLUE, subnets="10.99.0.0/16")["spec"]}
    assert not judged(rewritten, view, **update).allowed


def test_a_network_reaches_only_the_namespaces_that_it_selects() -> None:
    chosen = copy.deepcopy(BLUE)
    chosen["spec"]["namespaceSelector"] = {"matchLabels": {"team": "blue"}}
    view = Live(chosen, SPACE)
    assert "OVNG-L2-037" in rules(judged(rendered(chosen), view))


def test_the_cluster_manager_waits_for_the_namespace_that_its_network_selects() -> None:
    chosen = copy.deepcopy(BLUE)
    chosen["spec"]["namespaceSelector"] = {"matchLabels": {"team": "blue"}}
    answer = judged(rendered(chosen), Live(chosen, SPACE), user=MANAGER)
    text = "ovnguard has not seen yet that ClusterUserDefinedNetwork blue selects the namespace"
    assert (answer.allowed, answer.retry, answer.errors) == (False, text, ())
    assert judged(rendered(chosen), Live(chosen, named(SPACE, labels={"team": "blue"})), user=MANAGER).allowed


def test_the_cluster_manager_does_not_wait_for_what_no_later_view_holds() -> None:
    view = Live(BLUE, SPACE)
    other_name = rendered(BLUE) | {"spec": nad(name="cluster_udn_other")["spec"]}
    answer = judged(other_name, view, user=MANAGER)
    assert (answer.retry, "OVNG-L2-037" in rules(answer)) == ("", True)
    answer = judged(with_owner(rendered(BLUE), uid=""), view, user=MANAGER)
    assert (answer.allowed, answer.retry, [error.field for error in answer.errors]) == (
        False,
        "",
        ["metadata.ownerReferences.uid"],
    )


def test_a_manifest_of_a_stored_network_does_not_hide_its_uid() -> None:
    manifest = layer2("10.41.0.0/16")
    for objects in ((BLUE, rendered(BLUE), manifest), (manifest, rendered(BLUE), BLUE)):
        view = ObjectsView(objects)
        assert inventory_of(view).ownership(rendered(BLUE)) is Ownership.RENDERED
        assert rules(judged(manifest, view)) == set()


@pytest.mark.parametrize("view", [Live(), Live(kinds=(NAD,)), Live(stored(BLUE, "older"))])
def test_the_cluster_manager_waits_for_a_network_that_is_not_seen_yet(view: Live) -> None:
    answer = judged(rendered(BLUE), view, user=MANAGER)
    text = "ovnguard has not seen ClusterUserDefinedNetwork blue with uid uid-1 yet"
    assert (answer.allowed, answer.retry, answer.errors) == (False, text, ())
    assert judged(rendered(BLUE), view, user=TENANT).retry == ""
    assert judged(nad(), view, user=MANAGER).retry == ""
    assert judged(rendered(BLUE), view, user=MANAGER, operation=Operation.UPDATE, old=rendered(BLUE)).retry == ""
