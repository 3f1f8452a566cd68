"""Nodes of a lab and the addresses outside of it."""

from tests.testbed.ovs import NodeSpec

OUTSIDE = ("172.18.0.1/16", "fc00::1/64")


def spec(number: int) -> NodeSpec:
    addresses = (f"172.18.0.{number + 1}/16", f"fc00::{number + 1}/64")
    return NodeSpec(f"n{number}", f"chassis-{number}", f"02:42:ac:12:00:0{number + 1}", addresses)
