"""FRRConfigurations of an administrator and the generated full mesh on the same nodes, in real FRR."""

from collections.abc import Callable, Sequence

from tests.support.frr_samples import filtered, neighbor, on_node, router
from tests.support.lab.bgp_fabric import files, lab_nodes, learnt, planned, shares_of_others
from tests.support.manifests.network_objects import frr
from tests.support.plan_samples import DUAL_DEFAULT, nodes
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]
MEMBERS = nodes(3, v6=True)
BORDER, BORDER_AS, WANTED, UNWANTED = "172.18.0.100", 65010, "192.0.2.0/24", "198.51.100.0/24"
OWN = "203.0.113.0/24"
# Another AS, which announces more than the administrator wants to have.
BORDER_CONF = f"""frr defaults traditional
router bgp {BORDER_AS}
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor 172.18.0.2 remote-as 64512
 neighbor 172.18.0.3 remote-as 64512
 address-family ipv4 unicast
  network {WANTED}
  network {UNWANTED}
 exit-address-family
exit
"""
TO_BORDER = neighbor(BORDER, BORDER_AS, toReceive=filtered({"prefix": WANTED}), toAdvertise=filtered(OWN))


def test_a_border_router_of_one_node_changes_nothing_between_nodes(frr_lab: LabFactory) -> None:
    """The administrator's neighbour gets what he lets it have, and only the selected node has a session with it."""
    user = on_node(frr(router(TO_BORDER, prefixes=[OWN])), "node1")
    confs = files(MEMBERS, [*planned(DUAL_DEFAULT, MEMBERS).routing.documents, user])
    border = FrrNode("border", [f"{BORDER}/16"], BORDER_CONF, ["192.0.2.1/24"])
    lab = frr_lab([*lab_nodes(confs, MEMBERS), border])
    # what it announces and others do not want is in its own table all the same
    wait_until(lambda: learnt(border) == {OWN}, "the border's routes", 60)
    for member in MEMBERS:
        more = {WANTED} if member.name == "node1" else set()
        wanted = shares_of_others(MEMBERS, member.name) | more
        wait_until(lambda node=lab[member.name], wanted=wanted: learnt(node) == wanted, f"routes of {member.name}", 60)
    states = {name: node.peers().get(BORDER) for name, node in lab.nodes.items()}
    assert states == {"node1": "Established", "node2": None, "node3": None, "border": None}
    assert border.peers()["172.18.0.2"] == "Established"
    assert border.peers()["172.18.0.3"] != "Established"
