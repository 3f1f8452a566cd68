"""Applies the host part of a plan to the node itself: observe ovnguard's state, compare, apply, observe again.

State of other programs is neither read into a plan nor changed; ADR 14 explains how to recognise it.
"""

import json
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from ovnguard.reconciler.apply.host.host_commands import run_commands
from ovnguard.reconciler.apply.host.host_flows import read_flows
from ovnguard.reconciler.apply.host.host_shell import Shell, parsed
from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnusableError
from ovnguard.reconciler.plan.host import ip_json, nft_json
from ovnguard.reconciler.plan.host.command_lines import commands_of
from ovnguard.reconciler.plan.host.host_diff import HostOperation, host_diff, order_of
from ovnguard.reconciler.plan.host.host_plan import ALL_ABILITIES, Abilities, HostPlan, keeping
from ovnguard.reconciler.plan.host.items import PROTOCOL, Item, Port, Sysctl, Vrf
from ovnguard.reconciler.plan.host.nft import FAMILY, TABLE, NftChain, NftSet
from ovnguard.reconciler.plan.rows.row import OWNER, OWNER_KEY
from ovnguard.validators.network.addresses.addressing import DEFAULT_MASQUERADE_SUBNETS
from ovnguard.validators.network.model import IPNetwork

_PARAMETERS: Final = ("forwarding", "rp_filter")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class HostApplied:
    """``operations`` are the required changes, ``failures`` the error texts, ``left`` the remaining differences."""

    operations: tuple[HostOperation, ...] = ()
    failures: tuple[str, ...] = ()
    left: tuple[HostOperation, ...] = ()


@dataclass(slots=True)
class Host:
    """The node that ``shell`` runs programs on."""

    node: str
    shell: Shell = field(default_factory=Shell)
    _abilities: Abilities | None = None

    def abilities(self) -> Abilities:
        """Return the abilities of the kernel, probed once in a temporary namespace."""
        if self._abilities is None:
            self._abilities = _abilities(self.shell)
        return self._abilities

    def vrfs(self) -> tuple[Vrf, ...]:
        """Return ovnguard's VRF devices. Raises StoreError when `ip` is missing or fails."""
        links = _ask(self.shell, ip_json.listed, "ip", "-N", "-d", "-j", "link", "show", "type", "vrf")
        return _read("ip link", lambda: ip_json.vrfs(links))

    def observe(self, masquerades: tuple[IPNetwork, ...] = DEFAULT_MASQUERADE_SUBNETS) -> HostPlan:
        """Return ovnguard's state on the node, including addresses of ``masquerades`` on any device.

        Raises StoreError when a program is missing or fails.
        """
        ours = _ports(self.shell)
        links = _ask(self.shell, ip_json.listed, "ip", "-N", "-d", "-j", "address", "show")
        vrfs = _read("ip link", lambda: ip_json.vrfs(links))
        owned = ip_json.owned_by(ours, vrfs, masquerades)
        found: list[Item] = [*ours, *vrfs]
        found += _read("ip link", lambda: ip_json.port_links(links, owned))
        found += _sysctls(self.shell, owned)
        found += _read("ip address", lambda: ip_json.addresses(links, owned))
        entries = _ask(self.shell, ip_json.listed, "ip", "-N", "-j", "neighbour", "show", "nud", "permanent")
        found += _read("ip neighbour", lambda: ip_json.neighbours(entries, owned))
        for version in (4, 6):
            found += _routing(self.shell, version, owned)
        found += read_flows(self.shell, self.node, owned)
        sets, chains = read_table(self.shell)
        return HostPlan(self.node, tuple(sorted(found, key=order_of)), sets, chains, masquerades=masquerades)

    def compare(self, desired: HostPlan, doubtful: Container[str] = ()) -> tuple[HostOperation, ...]:
        """Return the differences to ``desired``, except for networks in doubt. Raises StoreError."""
        observed = self.observe(desired.masquerades)
        return host_diff(observed, keeping(desired, observed, doubtful))

    def apply(self, desired: HostPlan, doubtful: Container[str] = ()) -> HostApplied:
        """Bring the node to ``desired`` as far as possible, and observe it again.

        A failure does not stop the other changes. Raises StoreError when the node cannot be observed.
        """
        observed = self.observe(desired.masquerades)
        wanted = keeping(desired, observed, doubtful)
        operations = host_diff(observed, wanted)
        if not operations:
            return HostApplied()
        failures = list(run_commands(self.shell, commands_of(operations)).values())
        if any(isinstance(each.subject, (NftSet, NftChain)) for each in operations):
            try:
                replace_table(self.shell, wanted.sets, wanted.chains)
            except StoreError as error:
                failures.append(str(error))
        after = self.observe(desired.masquerades)
        left = host_diff(after, keeping(desired, after, doubtful))
        return HostApplied(operations, tuple(dict.fromkeys(failures)), left)


def _abilities(shell: Shell) -> Abilities:
    try:
        tried = shell.run(["unshare", "--net", "ip", "link", "add", "dev", "probe", "type", "vrf", "table", "1"])
    except StoreUnusableError:
        # without the program, the ability is unknown until used
        return ALL_ABILITIES
    return Abilities(vrf=tried.code == 0)


def _ports(shell: Shell) -> tuple[Port, ...]:
    columns = "--columns=name,mac,mtu_request,external_ids"
    owner = f"external_ids:{OWNER_KEY}={OWNER}"
    table = shell.ask("ovs-vsctl", "--timeout=30", "--format=json", columns, "find", "Interface", owner)
    return _read("ovs-vsctl", lambda: ip_json.ports(table))


def _sysctls(shell: Shell, owned: ip_json.Owned) -> list[Sysctl]:
    """Parameters of ovnguard's ports; a link without IPv4 has none."""
    paths = [f"net/ipv4/conf/{port}/{name}" for port in owned.ports for name in _PARAMETERS]
    if not paths:
        return []
    done = shell.run(["grep", "-s", "", *(f"/proc/sys/{path}" for path in paths)])
    found = []
    for line in done.out.splitlines():
        path, _, value = line.removeprefix("/proc/sys/").partition(":")
        found.append(Sysctl(path, value, owned.ports.get(path.split("/")[3], "")))
    return found


def _routing(shell: Shell, version: int, owned: ip_json.Owned) -> list[Item]:
    family = f"-{version}"
    show = ("ip", family, "-N", "-j")
    listed = _ask(shell, ip_json.listed, *show, "route", "show", "table", "all", "proto", str(PROTOCOL))
    rules = _ask(shell, ip_json.listed, *show, "rule", "show")
    return [
        *_read(f"ip {family} route", lambda: ip_json.routes(listed, version, owned)),
        *_read(f"ip {family} rule", lambda: ip_json.rules(rules, version, owned)),
    ]


def _ask(shell: Shell, parse: Callable[[Any], _T], *argv: str) -> _T:
    value = shell.ask(*argv)
    return _read(" ".join(argv), lambda: parse([] if value is None else value))


def _read(what: str, parse: Callable[[], _T]) -> _T:
    """Return the result of ``parse``; raise StoreError when the program's output is malformed."""
    try:
        return parse()
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise StoreError(f"{what}: cannot be read: {error}") from None


def read_table(shell: Shell) -> tuple[tuple[NftSet, ...], tuple[NftChain, ...]]:
    """Return sets and chains of ovnguard's table; none when it does not exist. Raises StoreError when nft fails."""
    done = shell.run(["nft", "-j", "list", "table", FAMILY, TABLE])
    if done.code:
        if "No such file or directory" in done.err:
            return (), ()
        raise StoreError(f"nft list table {FAMILY} {TABLE}: {done.error_text}")
    try:
        return nft_json.observed(parsed("nft", done.out))
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise StoreError(f"nft list table {FAMILY} {TABLE}: {error}") from None


def replace_table(shell: Shell, sets: Iterable[NftSet], chains: Iterable[NftChain]) -> None:
    """Replace the content of ovnguard's table. Raises StoreError, and then changes nothing."""
    done = shell.run(["nft", "-j", "-f", "-"], json.dumps(nft_json.replacing(sets, chains)))
    if done.code:
        raise StoreError(f"nft refuses the ruleset: {done.error_text}")
