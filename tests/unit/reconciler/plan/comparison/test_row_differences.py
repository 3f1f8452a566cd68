from ovnguard.reconciler.plan.comparison.row_differences import Side, compare
from ovnguard.reconciler.plan.rows.row import Ref, Row
from tests.support.recorded_rows import rows_of


def router(uuid: str, *routes: str, **columns) -> Row:
    return Row("Logical_Router", uuid, {"name": "r", "static_routes": tuple(map(Ref, routes)), **columns})


def route(uuid: str, prefix: str, **columns) -> Row:
    return Row("Logical_Router_Static_Route", uuid, {"ip_prefix": prefix, "nexthop": "h", **columns})


def texts(observed: list[Row], planned: list[Row]) -> list[str]:
    return [str(each) for each in compare(observed, planned).differences]


def test_uuids_and_the_form_of_a_single_value_make_no_difference():
    observed = [router("a", "b"), route("b", "10.0.0.0/8", policy=("src-ip",))]
    planned = [router("c", "d", options={}), route("d", "10.0.0.0/8", policy="src-ip")]
    compared = compare(observed, planned)
    assert (compared.differences, compared.equal) == ((), 2)


def test_a_row_of_one_side_is_one_difference():
    observed = [router("a", "b", "x"), route("b", "10.0.0.0/8"), route("x", "192.0.2.0/24")]
    planned = [router("a", "b", "y"), route("b", "10.0.0.0/8"), route("y", "198.51.100.0/24")]
    assert texts(observed, planned) == [
        "Logical_Router_Static_Route r | 192.0.2.0/24 h: not planned: ip_prefix=192.0.2.0/24, nexthop=h",
        "Logical_Router_Static_Route r | 198.51.100.0/24 h: not in the zone: ip_prefix=198.51.100.0/24, nexthop=h",
    ]
    compared = compare(observed, planned)
    assert (compared.equal, rows_of(compared, Side.OBSERVED), rows_of(compared, Side.PLANNED)) == (2, 1, 1)


def test_a_map_differs_key_by_key_and_a_set_by_its_elements():
    observed = [router("a", options={"x": "1", "same": "s"}, copp=("one", "two"))]
    planned = [router("a", options={"y": "2", "same": "s"}, copp=("two", "three", "four"))]
    assert texts(observed, planned) == [
        "Logical_Router r: copp is one, planned [four, three]",
        "Logical_Router r: options:x is 1, planned empty",
        "Logical_Router r: options:y is empty, planned 2",
    ]
    assert rows_of(compare(observed, planned), Side.BOTH) == 1


def test_a_reference_to_a_row_of_both_sides_is_a_difference():
    rows = [Row("Load_Balancer", "l", {"name": "lb"})]
    assert texts([router("a", load_balancer=(Ref("l"),)), *rows], [router("a"), *rows]) == [
        "Logical_Router r: load_balancer is lb, planned empty"
    ]


def test_our_own_notes_make_no_difference():
    observed = [router("a", external_ids={"k8s.ovn.org/network": "n"})]
    planned = [router("a", external_ids={"k8s.ovn.org/network": "n", "ovnguard.io/owner": "ovnguard"})]
    assert texts(observed, planned) == []


def test_any_character_of_a_database_is_printed_on_one_line():
    found = compare([Row("Meter", "u", {"name": "a\n\x1b[2J\u202eß"})], []).differences
    assert [each.brief for each in found] == ["Meter a\\n\\x1b[2J\\u202eß: not planned"]
