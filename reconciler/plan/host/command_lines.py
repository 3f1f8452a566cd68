"""Operations of a host as commands; ovnguard runs the same commands that it prints.

A command is a program and its arguments. `ip`, `ip -4` and `ip -6` read them in batches, `ovs-vsctl` separated by
``--``.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.host.host_diff import HostOperation
from ovnguard.reconciler.plan.host.host_plan import HostPlan
from ovnguard.reconciler.plan.host.items import (
    ADDRESS_METRIC,
    COOKIE,
    INTEGRATION_BRIDGE,
    PROTOCOL,
    Address,
    Flow,
    Item,
    Link,
    Neighbour,
    Port,
    Route,
    Rule,
    Sysctl,
    Vrf,
)
from ovnguard.reconciler.plan.host.nft import NftChain, NftSet, ruleset
from ovnguard.reconciler.plan.rows.row import OWNER, OWNER_KEY, UPSTREAM_NETWORK_KEY

# Prefix of the alias of ovnguard's VRFs; the network's name follows.
ALIAS: Final = f"{OWNER} "


@dataclass(frozen=True, slots=True)
class Command:
    """``words`` for ``program``; an operation is complete after all its commands."""

    program: str
    words: tuple[str, ...]
    operation: HostOperation

    def __str__(self) -> str:
        """The command for a shell. Ports of flows are not resolved, because only the switch knows their numbers."""
        if self.program == "ovs-ofctl":
            bridge, line = self.words
            return f"ovs-ofctl -O OpenFlow15 --bundle add-flows {bridge} - <<< {shlex.quote(line)}"
        return f"{self.program} {shlex.join(self.words)}"


def commands_of(operations: Iterable[HostOperation]) -> tuple[Command, ...]:
    """Return the commands of all operations except nftables', in order."""
    found = []
    for each in operations:
        subject = each.subject
        if isinstance(subject, (NftSet, NftChain)):
            continue
        found += [Command(program, tuple(words), each) for program, words in _commands(each, subject)]
    return tuple(found)


def plan_as_text(plan: HostPlan) -> str:
    """Return a complete host part: the ruleset for `nft -f`, then the commands, one per line."""
    head = f"# ---- node {plan.node}\n"
    commands = commands_of(HostOperation(None, item) for item in plan.items)
    return head + ruleset(plan.sets, plan.chains) + "".join(f"{each}\n" for each in commands)


def _commands(operation: HostOperation, subject: Item) -> list[tuple[str, Sequence[str]]]:
    gone = operation.op == "delete"
    match subject:
        case Port():
            return [("ovs-vsctl", _del_port(subject) if gone else _add_port(subject))]
        case Vrf():
            return _vrf(operation, subject)
        case Link():
            master = ["master", subject.master] if subject.master else ["nomaster"]
            return [("ip", ["link", "set", "dev", subject.name, *master, "up"])]
        case Sysctl():
            return [("sysctl", ["-w", f"{subject.path}={subject.value}"])]
        case Address():
            return [("ip", ["address", "del" if gone else "replace", *_address(subject, gone=gone)])]
        case Neighbour():
            words = [str(subject.address), "lladdr", subject.mac, "dev", subject.device, "nud", "permanent"]
            return [("ip", ["neighbour", "del" if gone else "replace", *words])]
        case Route():
            verb = {"insert": "add", "update": "replace", "delete": "del"}[operation.op]
            table = ["table", str(subject.table), "proto", str(PROTOCOL)]
            return [(f"ip -{subject.prefix.version}", ["route", verb, *subject.words, *table])]
        case Rule():
            words = ["priority", str(subject.priority), *subject.words, "protocol", str(PROTOCOL)]
            return [(f"ip -{subject.version}", ["rule", "del" if gone else "add", *words])]
        case Flow():
            # adding replaces the existing flow; only flows with ovnguard's cookie are removed
            own = f"cookie={COOKIE:#x}/-1,{subject.place}"
            made = f"cookie={COOKIE:#x},{subject.place},actions={subject.actions}"
            return [("ovs-ofctl", [subject.bridge, f"delete_strict {own}" if gone else f"add {made}"])]


def _add_port(port: Port) -> list[str]:
    columns = [
        "type=internal",
        f'mac="{port.mac}"',
        f"mtu_request={port.mtu or '[]'}",
        f"external_ids:iface-id={port.iface_id}",
        f"external_ids:{UPSTREAM_NETWORK_KEY}={port.network}",
        f"external_ids:{OWNER_KEY}={OWNER}",
    ]
    add = ["--may-exist", "add-port", INTEGRATION_BRIDGE, port.name]
    return [*add, "--", "set", "Interface", port.name, *columns]


def _del_port(port: Port) -> list[str]:
    return ["--if-exists", "del-port", INTEGRATION_BRIDGE, port.name]


def _vrf(operation: HostOperation, vrf: Vrf) -> list[tuple[str, Sequence[str]]]:
    """A VRF's table cannot change, so the device is created again."""
    made: list[tuple[str, Sequence[str]]] = [
        ("ip", ["link", "add", "dev", vrf.name, "type", "vrf", "table", str(vrf.table)]),
        ("ip", ["link", "set", "dev", vrf.name, "alias", f"{ALIAS}{vrf.network}", "up"]),
    ]
    gone: list[tuple[str, Sequence[str]]] = [("ip", ["link", "del", "dev", vrf.name])]
    return {"insert": made, "update": gone + made, "delete": gone}[operation.op]


def _address(address: Address, *, gone: bool) -> list[str]:
    words = [str(address.address), "dev", address.device]
    if gone:
        return words
    # no other host can have the address, so duplicate detection is unnecessary; it must be usable at once
    words += ["nodad"] * (address.address.version == 6)
    words += ["noprefixroute"] * address.bare
    words += ["preferred_lft", "0"] * address.deprecated
    words += ["metric", str(ADDRESS_METRIC)] * address.marked
    return words
