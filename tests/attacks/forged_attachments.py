"""Writes of NetworkAttachmentDefinitions by the leader's account: what ovnguard renders, and what an account that
somebody took tries. The tests judge them with ovnguard's own evaluator, and send them to a real API server.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ovnguard.reconciler.apply.kube import FIELD_MANAGER
from ovnguard.reconciler.apply.objects.attachment_writer import ATTACHMENT_MANAGER
from ovnguard.reconciler.apply.objects.object_owners import MANAGER
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.policy import PolicyRequest, UserInfo

LEADER = "system:serviceaccount:ovnguard-system:ovnguard-reconciler-cluster"
POLICY = "components/own/attachments.yaml"
TENANT, OVNKUBE = "tenant", "ovn-kubernetes"
SOMEBODY = "somebody"
FINALIZER = "k8s.ovn.org/user-defined-network-protection"
MACVLAN = '{"cniVersion":"1.1.0","name":"lan","type":"macvlan","master":"eth0"}'
UNCONTROLLED = (
    "the leader writes only attachments that a UserDefinedNetwork or ClusterUserDefinedNetwork controls, not "
)
UNRENDERED = (
    "the configuration of tenant/blue must have type ovn-k8s-cni-overlay, name cluster_udn_blue and netAttachDefName "
    "tenant/blue, each once"
)
FINALIZERS = f"of finalizers, the leader sets and removes only {FINALIZER}"
OF_OTHERS = "the leader changes and removes no label or annotation of others"


class Write(NamedTuple):
    """A request of the leader's account: ``before`` is stored, ``after`` is what it sends, None where there is none.

    ``maker`` is the field manager that created ``before``, ``writer`` the one of the request. SOMEBODY added ``added``,
    labels and annotations. An empty ``refusal`` says that the policy permits the request.
    """

    what: str
    before: JsonObject | None
    after: JsonObject | None
    refusal: str = ""
    maker: str = MANAGER
    writer: str = MANAGER
    added: Mapping[str, Mapping[str, str]] = {}


def request_of(before: JsonObject | None, after: JsonObject | None, username: str = LEADER) -> PolicyRequest:
    """The admission request of a user who changes one attachment to another one."""
    operation = "CREATE" if before is None else "DELETE" if after is None else "UPDATE"
    metadata = (before or after or {})["metadata"]
    kind = ("k8s.cni.cncf.io", "v1", "network-attachment-definitions", "NetworkAttachmentDefinition")
    place = (metadata["name"], metadata["namespace"])
    return PolicyRequest(operation, *kind, after, before, *place, user=UserInfo(username))


def attachment(name: str = "blue", namespace: str = TENANT, config: str = MACVLAN, **metadata: Any) -> JsonObject:
    """An attachment that somebody made."""
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"config": config},
    }


def owner(kind: str = "ClusterUserDefinedNetwork", name: str = "blue", **changes: Any) -> JsonObject:
    """A reference to the network that controls an attachment."""
    reference = {"apiVersion": "k8s.ovn.org/v1", "kind": kind, "name": name, "uid": f"uid-of-{name}"}
    return {**reference, "controller": True, "blockOwnerDeletion": True, **changes}


def netconf(network: str = "cluster_udn_blue", place: str = "tenant/blue", more: str = "") -> str:
    """The configuration that OVN-Kubernetes' cluster manager and ovnguard render."""
    start = '{"cniVersion":"1.1.0","joinSubnet":"100.65.0.0/16,fd99::/64"'
    names = f'"name":"{network}","netAttachDefName":"{place}","role":"primary","subnets":"10.100.0.0/16"'
    return f'{start},{names},"topology":"layer2","type":"ovn-k8s-cni-overlay"{more}}}'


def rendered(name: str = "blue", **metadata: Any) -> JsonObject:
    """The attachment of ClusterUserDefinedNetwork ``name`` in the namespace of a tenant."""
    config = netconf(f"cluster_udn_{name}", f"{TENANT}/{name}")
    labels = {"k8s.ovn.org/user-defined-network": ""}
    made = {"labels": labels, "finalizers": [FINALIZER], "ownerReferences": [owner(name=name)], **metadata}
    return attachment(name, config=config, **made)


def changed(obj: JsonObject, **metadata: Any) -> JsonObject:
    """The object with other metadata; None removes an entry, and ``config`` is that of the spec."""
    made = copy.deepcopy(obj)
    if "config" in metadata:
        made["spec"] = {"config": metadata.pop("config")}
    for key, value in metadata.items():
        if value is None:
            del made["metadata"][key]
        else:
            made["metadata"][key] = value
    return made


def namespaced() -> JsonObject:
    """The attachment of UserDefinedNetwork tenant/net."""
    config = netconf("tenant_net", "tenant/net")
    owners = [owner("UserDefinedNetwork", "net")]
    return attachment("net", config=config, ownerReferences=owners, finalizers=[FINALIZER])


def default() -> JsonObject:
    """The default network's attachment, which the leader creates where it is missing."""
    config = '{"cniVersion": "1.1.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay"}'
    return attachment("default", OVNKUBE, config, annotations={"k8s.ovn.org/route-advertisements": '["routes"]'})


LABELS = {"k8s.ovn.org/user-defined-network": ""}
FOREIGN = attachment(annotations={"team": "a"})
TEAM = {"labels": {"team": "a"}, "annotations": {"note": "b"}}


def permitted() -> Iterator[Write]:
    """What the leader does, and will do when it renders attachments."""
    blue = rendered()
    yield Write("create that of a cluster's network", None, blue)
    yield Write("create that of a namespace's network", None, namespaced())
    yield Write("create the default network's", None, default())
    yield Write("change the configuration", blue, changed(blue, config=netconf(more=',"mtu":1400')))
    adopted = changed(blue, config=netconf(more=',"vlanID":7'))
    yield Write("take over from another renderer", blue, adopted, maker=SOMEBODY)
    yield Write("a backslash in a value", None, changed(blue, config=netconf(more=',"physicalNetworkName":"a\\"b"')))
    yield Write("nested values", None, changed(blue, config=netconf(more=',"evpn":{"vtep":"v","macVRF":{"vni":7}}')))
    yield Write("follow the labels of the network", changed(blue, labels={**LABELS, "a": "b"}), blue)
    kept = changed(blue, labels={**LABELS, **TEAM["labels"]}, annotations=TEAM["annotations"])
    yield Write("keep labels of others", blue, changed(kept, config=netconf(more=',"mtu":1400')), added=TEAM)
    rendering: dict[str, Any] = {"maker": ATTACHMENT_MANAGER, "writer": ATTACHMENT_MANAGER}
    followed = changed(blue, labels={**LABELS, "a": "b"})
    yield Write("render under its own name", followed, changed(blue, config=netconf(more=',"mtu":1400')), **rendering)
    forged = changed(blue, annotations={"k8s.ovn.org/network-id": "7"})
    yield Write("put a number back", forged, changed(blue, annotations={"k8s.ovn.org/network-id": "1"}), maker=SOMEBODY)
    yield Write("let go of it", blue, changed(blue, finalizers=None))
    held = changed(blue, finalizers=[FINALIZER, "a.b/c"])
    yield Write("let go next to another finalizer", held, changed(blue, finalizers=["a.b/c"]))
    yield Write("delete", blue, None)
    yield Write("delete what another renderer made", blue, None, maker=SOMEBODY)
    for what, obj in (("somebody's", FOREIGN), ("a rendered one", blue), ("the default one", default())):
        notes = obj["metadata"].get("annotations", {})
        for key in ("ovnguard.io/network-id", "k8s.ovn.org/route-advertisements"):
            marked = changed(obj, annotations={**notes, key: "7"})
            yield Write(f"mark {what} with {key}", obj, marked, maker=SOMEBODY, writer=FIELD_MANAGER)


def attacks() -> Iterator[Write]:
    """What must be refused."""
    yield from _forged()
    yield from _taken()
    yield from _configured()
    yield from _kept()


def _forged() -> Iterator[Write]:
    """Owners that do not control the attachment."""
    blue, refused = rendered(), f"{UNCONTROLLED}tenant/blue"
    yield Write("without an owner", None, changed(blue, ownerReferences=None), refused)
    for what, reference in {
        "an owner that does not control it": owner(controller=False),
        "an owner that does not say so": {key: value for key, value in owner().items() if key != "controller"},
        "another kind": owner("EgressIP"),
        "a Namespace": owner("Namespace", apiVersion="v1"),
        "another group": owner(apiVersion="example.org/v1"),
        "a group that begins like it": owner(apiVersion="k8s.ovn.org/v10"),
        "another name": owner(name="green"),
    }.items():
        yield Write(f"create under {what}", None, changed(blue, ownerReferences=[reference]), refused)
    other = {**owner("Deployment", apiVersion="apps/v1"), "uid": "uid-of-another"}
    two = [owner(controller=False), other]
    yield Write("create under somebody else's control", None, changed(blue, ownerReferences=two), refused)
    yield Write("the default network's in a tenant", None, attachment("default"), f"{UNCONTROLLED}tenant/default")
    for what, obj in {
        "another configuration": changed(default(), config=MACVLAN),
        "an annotation": changed(default(), annotations={"k8s.v1.cni.cncf.io/resourceName": "a/b"}),
        "a finalizer": changed(default(), finalizers=["a.b/c"]),
    }.items():
        yield Write(f"the default network's with {what}", None, obj, f"{UNCONTROLLED}ovn-kubernetes/default")


def _taken() -> Iterator[Write]:
    """Attachments of others."""
    blue, refused = rendered(), f"{UNCONTROLLED}tenant/blue"
    uncontrolled = changed(blue, ownerReferences=[owner(controller=False)])
    for what, obj in {"somebody's": FOREIGN, "one that is only owned": uncontrolled}.items():
        yield Write(f"delete {what}", obj, None, refused, SOMEBODY)
        yield Write(f"change {what}", obj, changed(obj, config=netconf(more=',"mtu":1400')), refused, SOMEBODY)
        yield Write(f"take over {what}", obj, blue, refused, SOMEBODY)
        for key, value in {"labels": {"a": "b"}, "finalizers": ["a.b/c"]}.items():
            yield Write(f"set {key} of {what}", obj, changed(obj, **{key: value}), refused, SOMEBODY)
    yield Write("an annotation of somebody's", FOREIGN, changed(FOREIGN, annotations={"team": "b"}), refused, SOMEBODY)
    yield Write("one annotation fewer", FOREIGN, changed(FOREIGN, annotations=None), refused, SOMEBODY)
    yield Write("delete the default network's", default(), None, f"{UNCONTROLLED}ovn-kubernetes/default")
    yield Write("give one away", blue, changed(blue, ownerReferences=None), refused)
    yield Write("another owner", blue, changed(blue, ownerReferences=[owner(uid="another")]), refused)
    # nothing of somebody's becomes ovnguard's, which --remove-objects would delete
    mine = changed(FOREIGN, annotations={"team": "a", "ovnguard.io/network-id": "7"})
    for maker in (MANAGER, ATTACHMENT_MANAGER):
        yield Write(f"become the maker of somebody's as {maker}", FOREIGN, mine, refused, SOMEBODY, maker)


def _configured() -> Iterator[Write]:
    """Configurations that are not of the network."""
    blue = rendered()
    for what, config in {
        "another plugin": netconf().replace("ovn-k8s-cni-overlay", "macvlan"),
        "another plugin in other letters": netconf(more=',"Type":"macvlan"'),
        "another plugin after it": netconf(more=',"type":"macvlan"'),
        "another plugin, escaped": netconf(more=',"t\\u0079pe":"macvlan"'),
        "another plugin behind white space": netconf(more=',"type" :"macvlan"'),
        "a delegate": netconf(more=',"ipam":{"type":"host-local"}'),
        "another network": netconf("cluster_udn_green"),
        "a namespace's network": netconf("tenant_blue"),
        "two networks": netconf(more=',"Name":"cluster_udn_green"'),
        "another namespace": netconf(place="other/blue"),
        "two places": netconf(more=',"netattachdefname":"other/blue"'),
        "none": "",
        "a list": f"[{netconf()}]".replace('"type"', '"kind"'),
    }.items():
        yield Write(f"create with {what}", None, changed(blue, config=config), UNRENDERED)
        yield Write(f"change to {what}", blue, changed(blue, config=config), UNRENDERED)


def _kept() -> Iterator[Write]:
    """What others set on rendered attachments."""
    blue = rendered()
    yield Write("create with a finalizer", None, changed(blue, finalizers=["a.b/c"]), FINALIZERS)
    held = changed(blue, finalizers=[FINALIZER, "a.b/c"])
    yield Write("remove a finalizer", held, blue, FINALIZERS)
    yield Write("add a finalizer", blue, held, FINALIZERS)
    labels = {**LABELS, "team": "a"}
    kept = changed(blue, labels=labels, annotations={"note": "b"})
    for what, after in {
        "remove a label": changed(kept, labels=LABELS),
        "change a label": changed(kept, labels={**labels, "team": "b"}),
        "remove an annotation": changed(kept, annotations=None),
        "change an annotation": changed(kept, annotations={"note": "c"}),
        "forget who set it": changed(kept, managedFields=[_claim("team")]),
        "claim and remove": changed(blue, managedFields=[_claim("team")]),
    }.items():
        for writer in (MANAGER, SOMEBODY):
            yield Write(f"{what} of somebody as {writer}", blue, after, OF_OTHERS, writer=writer, added=TEAM)


def _claim(label: str) -> JsonObject:
    fields: JsonObject = {"f:metadata": {"f:labels": {f"f:{label}": {}}}}
    entry = {"manager": MANAGER, "operation": "Update", "apiVersion": "k8s.cni.cncf.io/v1", "fieldsType": "FieldsV1"}
    return {**entry, "time": "2026-01-01T00:00:00Z", "fieldsV1": fields}
