"""ovnguard's flows on the node's bridges: read and written with `ovs-ofctl`, in one bundle per bridge."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.host.command_lines import Command
from ovnguard.reconciler.plan.host.flow_text import flows, resolved
from ovnguard.reconciler.plan.host.host_diff import HostOperation
from ovnguard.reconciler.plan.host.ip_json import Owned
from ovnguard.reconciler.plan.host.items import COOKIE, INTEGRATION_BRIDGE, Flow

_OFCTL = ("ovs-ofctl", "-O", "OpenFlow15")


def read_flows(shell: Shell, node: str, owned: Owned) -> tuple[Flow, ...]:
    """Return the flows with ovnguard's cookie on every bridge except OVN's integration bridge.

    Raises StoreError when a program is missing, fails, or prints unexpected output.
    """
    found: list[Flow] = []
    for bridge in _output_of(shell, "ovs-vsctl", "--timeout=30", "list-br").split():
        if bridge == INTEGRATION_BRIDGE:
            continue
        show = (*_OFCTL, "--no-stats", "--no-names", "dump-flows", bridge, f"cookie={COOKIE:#x}/-1")
        lines = [line for line in _output_of(shell, *show).splitlines() if "cookie=" in line]
        if lines:
            try:
                found += flows(bridge, node, lines, port_numbers(shell, bridge), owned)
            except ValueError as error:
                raise StoreError(f"{' '.join(show)}: cannot be read: {error}") from None
    return tuple(found)


def port_numbers(shell: Shell, bridge: str) -> Mapping[str, int]:
    """Return OpenFlow numbers of a bridge's ports by name; its one physical port is named ``uplink``.

    Raises StoreError when there is not exactly one.
    """
    own = set(_output_of(shell, "ovs-vsctl", "--timeout=30", "list-ifaces", bridge).split())
    table = shell.ask("ovs-vsctl", "--timeout=30", "--format=json", "--columns=name,type,ofport", "list", "Interface")
    try:
        listed = [(name, kind, number) for name, kind, number in table["data"] if name in own]
    except (ValueError, TypeError, KeyError):
        raise StoreError("ovs-vsctl list Interface: cannot be read: not a table of ovs-vsctl") from None
    physical = [name for name, kind, _ in listed if kind not in ("patch", "internal")]
    if len(physical) != 1:
        raise StoreError(f"bridge {bridge} has {len(physical)} ports that could be its uplink; exactly one is needed")
    # a port that the switch has not created yet has no number, or -1
    numbers = {name: number for name, _, number in listed if isinstance(number, int) and number > 0}
    return {("uplink" if name in physical else name): number for name, number in numbers.items()}


def write_flows(shell: Shell, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    """Write flows, and return failures by operation: per bridge, all flows are written or none.

    A flow whose port does not exist yet is skipped and reported; ovn-controller creates patch ports later.
    """
    for bridge, group in groupby(batch, key=lambda each: each.words[0]):
        part = list(group)
        try:
            numbers = port_numbers(shell, bridge)
        except StoreError as error:
            yield from ((each.operation, str(error)) for each in part)
            continue
        written, lines = [], []
        for each in part:
            try:
                lines.append(resolved(each.words[1], numbers))
                written.append(each)
            except LookupError as error:
                yield each.operation, f"bridge {bridge} has no port {error.args[0]} yet"
        if not lines:
            continue
        done = shell.run([*_OFCTL, "--bundle", "add-flows", bridge, "-"], "".join(f"{line}\n" for line in lines))
        if done.code:
            yield from ((each.operation, f"ovs-ofctl: {done.error_text}") for each in written)


def _output_of(shell: Shell, *argv: str) -> str:
    done = shell.run(argv)
    if done.code:
        raise StoreError(f"{' '.join(argv)}: {done.error_text}")
    return done.out
