"""Records on attachments: read once, by the network that they belong to, and never believed blindly."""

from ipaddress import ip_network

from ovnguard.validators.network.cluster.attached_numbers import AttachmentRecord, attached_numbers
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.ownership import key_of
from ovnguard.validators.network.cluster_view import CUDN, NAD, GroupKind, ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, nad, rendered, stored

BLUE = stored(layer2("10.41.0.0/16"))
RECORD = {"k8s.ovn.org/network-id": "7", "k8s.ovn.org/tunnel-keys": "[16711690,16715790]"}
SEVEN = AttachmentRecord("red/blue", 7, (16711690, 16715790), (ip_network("100.70.0.0/16"),))


def attachment(**annotations: str) -> JsonObject:
    found = rendered(BLUE, subnets="10.41.0.0/16", transitSubnet="100.70.0.0/16")
    found["metadata"]["annotations"] = annotations
    return found


def test_a_rendered_attachment_records_numbers_of_its_owner() -> None:
    view = ObjectsView([BLUE, attachment(**RECORD)])
    found = attached_numbers(inventory_of(view))
    assert (found.rendered, found.named) == ({key_of(BLUE): (SEVEN,)}, {})


def test_any_other_attachment_records_numbers_of_the_network_that_it_names() -> None:
    obj = nad(name="tenant", netAttachDefName="red/blue", transitSubnet="100.70.0.0/16")
    obj["metadata"]["annotations"] = RECORD
    view = ObjectsView([BLUE, obj])
    found = attached_numbers(inventory_of(view))
    assert (found.rendered, found.named) == ({}, {"tenant": (SEVEN,)})


def test_a_record_that_cannot_be_read_is_a_fault() -> None:
    view = ObjectsView([BLUE, attachment(**{**RECORD, "k8s.ovn.org/network-id": "x"})])
    (record,) = attached_numbers(inventory_of(view)).rendered[key_of(BLUE)]
    text = "metadata.annotations[k8s.ovn.org/network-id]: must be a decimal network id from 1 to 4095"
    assert record.fault == text


class Live:
    """A view whose objects change."""

    def __init__(self, *attachments: JsonObject) -> None:
        self.attachments = attachments

    def objects(self, kind: GroupKind) -> tuple[JsonObject, ...] | None:
        return {CUDN: OWNERS, NAD: self.attachments}.get(kind, ())


OWNERS = (BLUE,)


def test_unchanged_attachments_are_not_read_again() -> None:
    first, second = attachment(**RECORD), {**attachment(**RECORD)}
    second["metadata"] = {**second["metadata"], "namespace": "green"}
    view = Live(first)
    inventory = inventory_of(view)
    before = attached_numbers(inventory)
    view.attachments = (first, second)
    after = attached_numbers(inventory)
    (one, two) = after.rendered[key_of(BLUE)]
    assert one is before.rendered[key_of(BLUE)][0]
    assert two.attachment == "green/blue"
