"""Flows in the notation of `ovs-ofctl`, which has numbers for ports where plans have names."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ovnguard.reconciler.plan.host.flows import USER_MARK
from ovnguard.reconciler.plan.host.ip_json import Owned
from ovnguard.reconciler.plan.host.items import INTEGRATION_BRIDGE, Flow
from ovnguard.reconciler.plan.host.user_network import TABLE_BASE
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.validators.network.model import DEFAULT_NETWORK

_LINE: Final = re.compile(r" *cookie=0x[0-9a-f]+, (?:table=(\d+), )?(?:priority=(\d+),?)?([^ ]*) actions=(.*)")
_PORT: Final = re.compile(r"(in_port=|output:)(\d+)")
_NAME: Final = re.compile(r"\{([^}]*)\}")
_MARK: Final = re.compile(r"ct_mark=(0x[0-9a-f]+)")
_PATCH: Final = re.compile(r"(?:^|,)in_port=\{patch-([^}]*)\}")
_ROUTED: Final = re.compile(r"(?:nw|ipv6)_(?:src|dst)=")
# The priority of a flow without an explicit one (ovs-fields(7)).
_DEFAULT_PRIORITY: Final = 32768


def resolved(text: str, numbers: Mapping[str, int]) -> str:
    """Return ``text`` with numbers instead of ports' names; raises LookupError with the name of a missing port.

    `flows` leaves the number of a port that is gone: the switch keeps its flows, and they are removed by that number.
    """

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name not in numbers and not name.isdigit():
            raise LookupError(name)
        return str(numbers.get(name, name))

    return _NAME.sub(number, text)


def flows(bridge: str, node: str, lines: Iterable[str], numbers: Mapping[str, int], owned: Owned) -> tuple[Flow, ...]:
    """Return ovnguard's flows from the output of ``ovs-ofctl --no-stats --no-names dump-flows``.

    Raises ValueError for a line that is not a flow.
    """
    names = {number: name for name, number in numbers.items()}

    def named(text: str) -> str:
        return _PORT.sub(lambda match: f"{match[1]}{{{names.get(int(match[2]), match[2])}}}", text)

    found = []
    for line in lines:
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise ValueError(f"not a flow: {line[:80]!r}")
        match, actions = named(parts[3]), named(parts[4])
        table, priority = int(parts[1] or 0), int(parts[2] or _DEFAULT_PRIORITY)
        found.append(Flow(bridge, table, priority, match, actions, _network(bridge, node, match, owned)))
    return tuple(found)


def _network(bridge: str, node: str, match: str, owned: Owned) -> str:
    """The network of a flow, by its patch port or its connections' mark; '' when neither identifies it."""
    patch = _PATCH.search(match)
    if patch is not None:
        prefix = patch[1].removeprefix(f"{bridge}_").removesuffix(f"{node}-to-{INTEGRATION_BRIDGE}")
        networks = {DEFAULT_NETWORK, *owned.ports.values(), *owned.tables.values()}
        return next((name for name in networks if Names(name).prefix == prefix), "")
    mark = _MARK.search(match)
    if mark is not None and int(mark[1], 16) > USER_MARK:
        return owned.tables.get(TABLE_BASE + int(mark[1], 16) - USER_MARK, "")
    return "" if _ROUTED.search(match) else DEFAULT_NETWORK
