"""What is known about a cluster with user-managed DNS: its objects, and what names resolve to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.plan.load_balancer import Addresses, IngressTarget, addresses_of, ingress_target
from ovnguard.reconciler.dns.plan.served_names import Dialect, is_base_domain
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.platform import CLOUDS, Platform, install_platform, platform_of
from ovnguard.validators.network.cluster_view import (
    CLUSTER_VERSION,
    CONFIG_DNS,
    DNS_RECORD,
    INFRASTRUCTURE,
    INGRESS_CONTROLLER,
    INSTALL_CONFIG,
    NODE,
    POD,
    SERVICE,
    ClusterView,
    GroupKind,
)
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.cluster_hosted import HostedAddresses, hosted_addresses
from ovnguard.validators.network.ovnkube_settings.install_dns import is_proposed_choice, is_released_choice
from ovnguard.validators.network.parse_values import dig, text_of

_TYPES: Final = {key: kind for kind, key in CLOUDS.items()}
_NOTHING: Final = HostedAddresses("", (), (), ())


class Resolved(NamedTuple):
    """What a name resolves to, or the ``problem`` that prevents it."""

    addresses: tuple[IPAddress, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """Objects; None or empty where they do not exist or are unknown, and ``nodes`` and ``pods`` None where unknown.

    ``cloud_records`` are the records that the ingress operator keeps in the DNS of the platform. ``refusals`` are the
    reasons why the installer would refuse the install configuration. ``resolved`` are the names
    that were looked up, and ``targets`` the load balancers of the user by name (``api``, ``api-int``): a DNS name or an
    address.
    """

    install_config: JsonObject | None = None
    infrastructure: JsonObject | None = None
    dns: JsonObject | None = None
    controllers: Sequence[JsonObject] = ()
    services: Sequence[JsonObject] = ()
    nodes: Sequence[JsonObject] | None = None
    pods: Sequence[JsonObject] | None = None
    version: JsonObject | None = None
    cloud_records: Sequence[JsonObject] = ()
    refusals: tuple[str, ...] = ()
    resolved: Mapping[str, Resolved] = field(default_factory=lambda: MappingProxyType({}))
    targets: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def platform(self) -> str:
        """The type of the platform as the Infrastructure has it (``AWS``), or the empty string."""
        if self.infrastructure is not None:
            return self._platform.type
        key = install_platform(self.install_config or {})
        return _TYPES.get(key, key)

    @property
    def dialect(self) -> Dialect | None:
        """The API in which the user manages DNS; None for the platform's own DNS."""
        if self.infrastructure is not None:
            choice = self._platform.custom_dns
            if choice is None:
                return None
            return Dialect.RELEASED if choice.path[-1] == "dnsType" else Dialect.PROPOSED
        config = self.install_config or {}
        if is_proposed_choice(config):
            return Dialect.PROPOSED
        return Dialect.RELEASED if is_released_choice(config) else None

    @property
    def base_domain(self) -> str:
        """The domain that contains all names of the cluster, or the empty string."""
        config = self.install_config or {}
        installed = f"{text_of(dig(config, 'metadata', 'name'))}.{text_of(config.get('baseDomain'))}"
        domain = text_of(dig(self.dns, "spec", "baseDomain")) or installed
        return domain if is_base_domain(domain) else ""

    @property
    def is_installed(self) -> bool | None:
        """Whether the installation has completed; None where unknown."""
        if self.version is None:
            return None
        history = dig(self.version, "status", "history")
        entries = history if isinstance(history, list) else []
        return any(dig(entry, "state") == "Completed" for entry in entries)

    @property
    def target(self) -> IngressTarget:
        """The load balancer of ``*.apps``."""
        dialect = self.dialect or Dialect.PROPOSED
        return ingress_target(self.services, self.controllers, self.platform, self.base_domain, dialect)

    def hosted(self, name: str) -> Addresses:
        """Return the addresses of ``api``, ``api_int`` or ``ingress`` that the Infrastructure lists (released API)."""
        lists = hosted_addresses(self.infrastructure) or _NOTHING
        listed = getattr(lists, name)
        return addresses_of(listed if isinstance(listed, list) else (), f"Infrastructure cluster: {lists.field}")

    def lookups(self, names: Iterable[str]) -> Resolved:
        """Return what several names resolve to together; the first problem when they have no address."""
        found = [self.resolved[name] for name in names if name in self.resolved]
        addresses = tuple(dict.fromkeys(address for each in found for address in each.addresses))
        return Resolved(addresses, "" if addresses else next((each.problem for each in found), ""))

    @property
    def _platform(self) -> Platform:
        return platform_of(self.infrastructure)


def observed_of(view: ClusterView) -> Observed:
    """Return what ``view`` knows; of cluster-wide objects, the one that OpenShift reads.

    A Service that is being deleted is left out: its load balancer goes with it.
    """
    services = [each for each in view.objects(SERVICE) or () if not dig(each, "metadata", "deletionTimestamp")]
    return Observed(
        _one(view, INSTALL_CONFIG, ""),
        _one(view, INFRASTRUCTURE, "cluster"),
        _one(view, CONFIG_DNS, "cluster"),
        view.objects(INGRESS_CONTROLLER) or (),
        services,
        view.objects(NODE),
        view.objects(POD),
        _one(view, CLUSTER_VERSION, "version"),
        view.objects(DNS_RECORD) or (),
    )


def _one(view: ClusterView, kind: GroupKind, name: str) -> JsonObject | None:
    found = view.objects(kind) or ()
    return next((each for each in found if not name or dig(each, "metadata", "name") == name), None)
