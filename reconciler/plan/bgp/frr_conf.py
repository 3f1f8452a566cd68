"""One node's frr.conf, in the order and with the names that frr-k8s writes.

Source: frr-k8s, ``internal/frr/templates``: globals, every neighbour's filters, VRFs with a VNI, BGP routers, BFD
profiles, raw lines. FRR >= 10 reads it as its integrated configuration.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.bgp.config_lines import without_secrets
from ovnguard.reconciler.plan.bgp.frr_filters import filters_of
from ovnguard.reconciler.plan.bgp.node_configuration import NodeConfiguration
from ovnguard.validators.network.frr.frr_model import (
    DEFAULT_CONNECT_TIME,
    DEFAULT_HOLD_TIME,
    DEFAULT_KEEPALIVE_TIME,
    DEFAULT_PORT,
    BfdProfile,
    Evpn,
    Neighbor,
    Router,
    Vni,
)
from ovnguard.validators.network.frr.frr_neighbor import EVPN, EXTERNAL, INTERNAL, UNICAST, neighbor_id
from ovnguard.validators.network.frr.frr_secrets import HIDDEN, Password
from ovnguard.validators.network.frr.frr_values import DUAL, FAMILIES, family_of_prefix
from ovnguard.validators.network.model import IPNetwork

# Takes the place of an address; no word contains it.
_PEER: Final = "\0"


class _Texts(NamedTuple):
    """The lines of one neighbour: its filters, its session, and its address families."""

    filters: str
    session: str
    families: str


def render(
    configuration: NodeConfiguration,
    log_level: str,
    *,
    always_block: Sequence[IPNetwork] = (),
    reveal: bool = False,
) -> str:
    """Return the text of frr.conf, ending with a line break; empty when there is nothing to configure.

    No neighbour may announce a subnet of ``always_block``. Only with ``reveal`` the text contains passwords; it is for
    the file that FRR reads, and a ValueError when a password is unknown.
    """
    if configuration.is_empty:
        return ""
    texts = [list(_texts(router, always_block, reveal)) for router in configuration.routers]
    blocks = [
        _text(_globals(configuration.node, log_level)),
        *(each.filters for listed in texts for each in listed),
        *(_text(_vrf(router.vrf, router.evpn.layer3)) for router in configuration.routers if router.evpn),
        *(_bgp(router, listed) for router, listed in zip(configuration.routers, texts, strict=True)),
        _text(_bfd(configuration.bfd_profiles)),
        *(_text(_raw(each.text, reveal)) for each in configuration.raw),
    ]
    return "\n".join(block for block in blocks if block)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _texts(router: Router, always_block: Sequence[IPNetwork], reveal: bool) -> Iterator[_Texts]:
    """The texts of a router's neighbours. One that differs from the one before it only in its address has the same
    ones with another address: in a mesh, all are alike.
    """
    like, texts = None, _Texts("", "", "")
    for neighbor in router.neighbors:
        shape = neighbor
        if neighbor.address:
            shape = Neighbor(neighbor_id(_PEER, neighbor.vrf), _PEER, *neighbor[2:-1], "")
        if shape != like:
            session = (f"  neighbor {shape.peer} {line}" for line in _session(shape, str(router.asn), reveal))
            texts = _Texts(_text(filters_of(shape, always_block)), _text(session), _text(_families(shape)))
            like = shape
        yield _Texts(*(each.replace(_PEER, neighbor.address) for each in texts)) if neighbor.address else texts


def _globals(hostname: str, log_level: str) -> list[str]:
    return [
        f"log stdout {log_level}",
        "log timestamp precision 3",
        f"hostname {hostname}",
        "ip nht resolve-via-default",
        "ipv6 nht resolve-via-default",
    ]


def _vrf(vrf: str, layer3: Vni | None) -> list[str]:
    if layer3 is None:
        return []
    return [f"vrf {vrf}", f"  vni {layer3.number}", "exit-vrf"] if vrf else [f"vni {layer3.number}"]


def _bgp(router: Router, neighbors: Sequence[_Texts]) -> str:
    lines = [
        f"router bgp {router.asn}" + (f" vrf {router.vrf}" if router.vrf else ""),
        "  no bgp ebgp-requires-policy",
        "  no bgp network import-check",
        "  no bgp default ipv4-unicast",
        "  bgp graceful-restart preserve-fw-state",
    ]
    if router.router_id:
        lines.append(f"  bgp router-id {router.router_id}")
    imports = [f"import vrf {vrf}" for vrf in sorted(vrf or "default" for vrf in router.imports)]
    if imports:
        for family in FAMILIES.values():
            lines += _in_family(f"{family} unicast", imports)
    networks = []
    for family in FAMILIES.values():
        listed = [f"network {prefix}" for prefix in sorted(router.prefixes) if family_of_prefix(prefix) == family]
        if listed:
            networks += _in_family(f"{family} unicast", listed)
    if router.evpn is not None:
        networks += _in_family("l2vpn evpn", _evpn(router.evpn, router.neighbors))
    sessions = "".join(each.session for each in neighbors)
    return f"{_text(lines)}{sessions}{''.join(each.families for each in neighbors)}{_text(networks)}"


def _session(neighbor: Neighbor, asn: str, reveal: bool) -> Iterator[str]:
    """What follows the peer in the lines of its session; FRR has the values that are left out as defaults."""
    session = neighbor.session
    yield ("interface " if neighbor.interface else "") + f"remote-as {session.asn}"
    if session.multihop:
        yield "ebgp-multihop"
    if session.local_asn:
        yield f"local-as {session.local_asn} no-prepend replace-as"
    if session.port != DEFAULT_PORT:
        yield f"port {session.port}"
    if (session.hold_time, session.keepalive_time) != (DEFAULT_HOLD_TIME, DEFAULT_KEEPALIVE_TIME):
        yield f"timers {session.keepalive_time} {session.hold_time}"
    if session.connect_time != DEFAULT_CONNECT_TIME:
        yield f"timers connect {session.connect_time}"
    if session.password:
        yield f"password {_revealed(session.password) if reveal else HIDDEN}"
    if session.source:
        yield f"update-source {session.source}"
    if neighbor.graceful_restart:
        yield "graceful-restart"
    if session.bfd_profile:
        yield "bfd"
        yield f"bfd profile {session.bfd_profile}"
    is_external = session.asn == EXTERNAL or session.asn not in (INTERNAL, asn)
    if session.family == FAMILIES[6] and is_external and not session.multihop:
        yield "disable-connected-check"


def _revealed(password: Password) -> str:
    if not password.is_known:
        raise ValueError("a password is unknown")
    return password.text


def _families(neighbor: Neighbor) -> Iterator[str]:
    for family in FAMILIES.values():
        if UNICAST in neighbor.address_families and neighbor.session.family in (family, DUAL):
            yield from _in_family(f"{family} unicast", _activation(neighbor))


def _activation(neighbor: Neighbor) -> Iterator[str]:
    yield f"neighbor {neighbor.peer} activate"
    yield f"neighbor {neighbor.peer} route-map {neighbor.id}-in in"
    yield f"neighbor {neighbor.peer} route-map {neighbor.id}-out out"


def _evpn(evpn: Evpn, neighbors: Iterable[Neighbor]) -> Iterator[str]:
    yield from (f"neighbor {each.peer} activate" for each in neighbors if EVPN in each.address_families)
    if evpn.advertises_vnis:
        yield "advertise-all-vni"
    if evpn.advertises_svi:
        yield "advertise-svi-ip"
    for vni in evpn.layer2:
        if lines := list(_routes(vni)):
            yield from (f"vni {vni.number}", *(f"  {line}" for line in lines), "exit-vni")
    if evpn.layer3 is not None:
        if evpn.advertised:
            yield from (f"advertise {family} unicast" for family in FAMILIES.values())
        yield from _routes(evpn.layer3)


def _routes(vni: Vni) -> Iterator[str]:
    if vni.distinguisher:
        yield f"rd {vni.distinguisher}"
    yield from (f"route-target import {target}" for target in sorted(vni.imported))
    yield from (f"route-target export {target}" for target in sorted(vni.exported))


def _bfd(profiles: Sequence[BfdProfile]) -> list[str]:
    return ["bfd", *(f"  {line}" for profile in profiles for line in _profile(profile))] if profiles else []


def _profile(profile: BfdProfile) -> Iterator[str]:
    yield f"profile {profile.name}"
    if profile.receive_interval is not None:
        yield f"  receive-interval {profile.receive_interval}"
    if profile.transmit_interval is not None:
        yield f"  transmit-interval {profile.transmit_interval}"
    if profile.detect_multiplier is not None:
        yield f"  detect-multiplier {profile.detect_multiplier}"
    if profile.echo_mode:
        yield "  echo-mode"
    if profile.echo_interval is not None:
        yield f"  echo transmit-interval {profile.echo_interval}"
        yield f"  echo receive-interval {profile.echo_interval}"
    if profile.passive_mode:
        yield "  passive-mode"
    if profile.minimum_ttl is not None:
        yield f"  minimum-ttl {profile.minimum_ttl}"


def _raw(text: str, reveal: bool) -> list[str]:
    return (text if reveal else without_secrets(text)).rstrip("\n").split("\n")


def _in_family(family: str, lines: Iterable[str]) -> list[str]:
    return [f"  address-family {family}", *(f"    {line}" for line in lines), "  exit-address-family"]
