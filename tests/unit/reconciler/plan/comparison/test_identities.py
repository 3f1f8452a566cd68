from ovnguard.reconciler.plan.comparison.identities import identified
from ovnguard.reconciler.plan.rows.names import address_set_hash
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row

SET_ID = "default-network-controller:EgressIP:egressip-served-pods:v4:default"
HASH = address_set_hash(SET_ID)


def keys(*rows: Row) -> list[tuple[str, str]]:
    return sorted(identified(rows))


def test_a_row_with_a_name_is_identified_by_it():
    assert keys(Row("Logical_Switch", "u1", {"name": "node1"})) == [("Logical_Switch", "node1")]


def test_a_row_without_a_name_is_identified_by_owner_and_key_columns():
    route = Row("Logical_Router_Static_Route", "u1", {"ip_prefix": "10.0.0.0/8", "policy": ("src-ip",), "nexthop": "h"})
    router = Row("Logical_Router", "u2", {"name": "GR_node1", "static_routes": (Ref("u1"),)})
    assert keys(route, router) == [
        ("Logical_Router", "GR_node1"),
        ("Logical_Router_Static_Route", "GR_node1 | 10.0.0.0/8 src-ip h"),
    ]


def test_a_hash_in_a_match_is_what_it_was_made_of():
    address_set = Row("Address_Set", "u1", {"name": HASH, "external_ids": {"k8s.ovn.org/id": SET_ID}})
    policy = Row("Logical_Router_Policy", "u2", {"priority": 102, "match": f"ip4.src == ${HASH}"})
    found = identified((address_set, policy))
    assert found["Logical_Router_Policy", f"102 ip4.src == ${SET_ID}"].columns["match"] == (f"ip4.src == ${SET_ID}",)
    assert found["Address_Set", SET_ID].columns["name"] == (HASH,), "a wrong hash is a difference"


def test_rows_of_one_identity_are_numbered_by_content_and_not_by_uuid():
    def backup(first: str, second: str) -> list[Row]:
        return [
            Row("Logical_Switch", first, {"name": "a"}),
            Row("Logical_Switch", second, {"name": "a", "acls": ("x",)}),
        ]

    one, other = identified(backup("u1", "u2")), identified(backup("u2", "u1"))
    assert dict(one) == dict(other)
    assert one["Logical_Switch", "a"].columns == {"acls": ("x",), "name": ("a",)}
    assert one["Logical_Switch", "a #2"].columns == {"name": ("a",)}


def test_writers_notes_state_and_empty_columns_are_left_out():
    columns: dict[str, Column] = {
        "name": "p",
        "type": "",
        "up": (True,),
        "enabled": (False,),
        "tag_request": (5,),
        "external_ids": {"pod": "true", "ovnguard.io/owner": "ovnguard"},
    }
    port = Row("Logical_Switch_Port", "u1", columns)
    (found,) = identified((port,)).values()
    expected = {"name": ("p",), "enabled": ("false",), "tag_request": ("5",), "external_ids": {"pod": "true"}}
    assert found.columns == expected


def test_the_network_is_named_by_the_row_its_owner_or_its_controller():
    switch = Row(
        "Logical_Switch", "u1", {"name": "s", "ports": (Ref("u2"),), "external_ids": {"k8s.ovn.org/network": "blue"}}
    )
    port = Row("Logical_Switch_Port", "u2", {"name": "p"})
    group = Row(
        "Port_Group", "u3", {"name": "g", "external_ids": {"k8s.ovn.org/owner-controller": "red-network-controller"}}
    )
    meter = Row("Meter", "u4", {"name": "m"})
    # no router has it
    unused = Row("Load_Balancer_Group", "u5", {"name": "blue_clusterRouterLBGroup"})
    networks = {row.identity: row.network for row in identified((switch, port, group, meter, unused)).values()}
    assert networks == {"s": "blue", "p": "blue", "g": "red", "m": "default", "blue_clusterRouterLBGroup": "blue"}


def test_the_databases_own_tables_are_not_networks():
    assert keys(Row("NB_Global", "u1", {"nb_cfg": 1}), Row("Connection", "u2", {}), Row("SSL", "u3", {})) == []


def test_a_reference_to_no_row_and_a_circle_of_rows_have_an_end():
    lost = Row("Logical_Router", "u1", {"name": "r", "nat": (Ref("gone"),)})
    circle = Row("NAT", "u2", {"type": "snat", "match": (Ref("u2"),)})
    found = identified((lost, circle))
    assert found["Logical_Router", "r"].columns["nat"] == ("a row that is gone",)
    assert len(found) == 2
