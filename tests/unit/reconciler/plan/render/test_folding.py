"""Nodes with equal changes are one, also where these contain each node's own name or numbers."""

import pytest

from ovnguard.reconciler.plan.render.folding import ADDRESS, CHASSIS, SUBNET, folded_texts, general, legend

OWN = {
    name: {
        f"172.18.0.{number}": ADDRESS,
        f"fd00::{number}": ADDRESS,
        f"0a:58:ac:12:00:0{number}": ADDRESS,
        f"10.128.{number}.0/24": SUBNET,
        f"6f76-{number}": CHASSIS,
    }
    for name, number in (("a", 2), ("b", 3), ("c", 4))
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GR_a to 172.18.0.2", "GR_<node> to <address>"),
        ("ip4.dst==172.18.0.2/32", "ip4.dst==<address>/32"),
        ("172.18.0.2:6443 and [fd00::2]:6443", "<address>:6443 and [<address>]:6443"),
        ("172.18.0.20 172.18.0.2.1 2.172.18.0.2 fd00::2:1 1:fd00::2", None),
        ("172.18.0.2.", "<address>."),
        ("0a:58:ac:12:00:02 172.18.0.2/16", "<address> <address>/16"),
        (
            "route 10.128.2.0/24 src-ip, 10.128.2.0/14 and 10.128.2.0",
            "route <subnet> src-ip, 10.128.2.0/14 and 10.128.2.0",
        ),
        ("rtos-a-6f76-2", "rtos-<node>-<chassis>"),
        ("<address> 172.18.0.2", None),
        ("ab a-1 a.b", None),
    ],
)
def test_a_text_about_any_node(text: str, expected: str | None) -> None:
    assert general(text, "a", OWN["a"]) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({"a": ["x a 172.18.0.2"], "b": ["x b 172.18.0.3"]}, [(("a", "b"), ("x <node> <address>",))]),
        ({"a": ["to 172.18.0.2"], "b": ["to 172.18.0.2"]}, [(("a", "b"), ("to 172.18.0.2",))]),
        (
            {"a": ["to 172.18.0.2"], "b": ["to 172.18.0.9"]},
            [(("a",), ("to 172.18.0.2",)), (("b",), ("to 172.18.0.9",))],
        ),
        # all addresses on every node are equal as they are
        (
            {node: ["172.18.0.2, 172.18.0.3, 172.18.0.4"] for node in "abc"},
            [(("a", "b", "c"), ("172.18.0.2, 172.18.0.3, 172.18.0.4",))],
        ),
    ],
)
def test_nodes_with_equal_texts(
    texts: dict[str, list[str]], found: list[tuple[tuple[str, ...], tuple[str, ...]]]
) -> None:
    assert folded_texts(texts, {node: (OWN[node],) for node in texts}) == found


def test_a_number_of_one_node_may_be_one_of_a_network() -> None:
    """Node b has the address of the network by chance: only the name, and what the machine has, is general then."""
    machine = {"a": {"172.18.0.2": ADDRESS}, "b": {"172.18.0.3": ADDRESS}}
    owns = {
        node: (machine[node], {**machine[node], by_id: ADDRESS})
        for node, by_id in (("a", "10.9.0.1"), ("b", "10.9.0.2"))
    }
    texts = {"a": ["a 172.18.0.2 to 10.9.0.2"], "b": ["b 172.18.0.3 to 10.9.0.2"]}
    assert folded_texts(texts, owns) == [(("a", "b"), ("<node> <address> to 10.9.0.2",))]
    texts = {"a": ["a to 10.9.0.1"], "b": ["b to 10.9.0.2"]}
    assert folded_texts(texts, owns) == [(("a", "b"), ("<node> to <address>",))]


def test_without_numbers_only_names_are_general() -> None:
    assert [each.nodes for each in folded_texts({"a": ["a"], "b": ["b"]})] == [("a", "b")]
    assert [each.nodes for each in folded_texts({"a": ["172.18.0.2"], "b": ["172.18.0.3"]})] == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (["x"], ""),
        (["GR_<node>"], "(<node> is the name of each node)"),
        (["to <address>"], "(<address> is an address of each node)"),
        (
            ["rtos-<node>-<chassis>", "<subnet> to <address>"],
            "(<node> is the name of each node, <address> is an address of each node, "
            "<subnet> is the subnet of each node, <chassis> is the chassis of each node)",
        ),
    ],
)
def test_the_legend(texts: list[str], line: str) -> None:
    assert legend(texts) == line
