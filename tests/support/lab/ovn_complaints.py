"""The warnings and errors in the logs of the daemons of an OVN zone."""

import re

from tests.testbed.ovn import OvnZone

ALLOWED = (
    # the machine was busy
    re.compile(r"\|timeval\|WARN\|"),
    # northd gives a distributed gateway port and the switch port that faces it each a second, chassisredirect port,
    # copies the requested key onto it and finds it taken: the first port keeps the key, the second gets a free one
    re.compile(r"Logical (router port trtos-|switch port stotr-)\S+ requests same tunnel key 1 as another LSP or LRP"),
    # a network's gateway router has the node's address and its own masquerade address outside: load balanced traffic
    # that leaves there gets the first one, and only the masquerade address is the network's, so it does not matter
    re.compile(r'Logical router port "rtoe-GR_cluster_udn_\S+" is configured with multiple IPv[46] addresses\.'),
)


def complaints(zone: OvnZone) -> list[str]:
    lines = [line for line in zone.log("northd").splitlines() if re.search(r"\|(WARN|ERR|EMER)\|", line)]
    return [line for line in lines if not any(each.search(line) for each in ALLOWED)]
