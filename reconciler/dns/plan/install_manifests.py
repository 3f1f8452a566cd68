"""What the installer writes about DNS for an install configuration: Infrastructure and DNS.

Sources: OpenShift enhancement "BYO custom DNS", 'API Extensions'; openshift/installer, ``pkg/asset/manifests``.
"""

from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.served_names import API, API_INT, Dialect
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.platform import CLOUDS
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.cluster_hosted import API_INT_IPS, API_IPS
from ovnguard.validators.network.ovnkube_settings.install_dns import is_external
from ovnguard.validators.network.parse_values import dig, mapping, text_of

_API_PORT: Final = 6443
# Fields of an install configuration that the platform's status repeats.
_REPEATED: Final = {
    "AWS": {"region": "region"},
    "Azure": {"cloudName": "cloudName", "resourceGroupName": "resourceGroupName"},
    "GCP": {"projectID": "projectID", "region": "region"},
}
_WITH_CHOICE: Final = frozenset(_REPEATED)


@dataclass(frozen=True, slots=True)
class Installation:
    """What only the installer knows.

    ``infra_id`` is the generated id of the cluster, ``public_zone`` and ``private_zone`` are ids of zones in the
    cloud's DNS, and ``api`` and ``api_int`` addresses of load balancers that it created (released API).
    """

    infra_id: str = ""
    public_zone: str = ""
    private_zone: str = ""
    api: tuple[IPAddress, ...] = ()
    api_int: tuple[IPAddress, ...] = ()


def install_manifests(observed: Observed, known: Installation) -> tuple[JsonObject, ...]:
    """Return the Infrastructure and the DNS for the install configuration; empty without a valid domain."""
    domain, config = observed.base_domain, observed.install_config
    if not domain or config is None:
        return ()
    return _infrastructure(observed, config, domain, known), _dns(observed, config, domain, known)


def _infrastructure(observed: Observed, config: JsonObject, domain: str, known: Installation) -> JsonObject:
    kind = observed.platform
    status: dict[str, Any] = {
        "apiServerInternalURI": f"https://{API_INT}.{domain}:{_API_PORT}",
        "apiServerURL": f"https://{API}.{domain}:{_API_PORT}",
        "controlPlaneTopology": _topology(dig(config, "controlPlane", "replicas"), default=3),
        "infrastructureTopology": _infrastructure_topology(config),
        "platform": kind,
        "platformStatus": {"type": kind, **_block(observed, config, known)},
    }
    if known.infra_id:
        status["infrastructureName"] = known.infra_id
    spec = {"platformSpec": {"type": kind, **({CLOUDS[kind]: {}} if kind in _WITH_CHOICE else {})}}
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "spec": spec,
        "status": status,
    }


def _block(observed: Observed, config: JsonObject, known: Installation) -> dict[str, Any]:
    """The status of the platform with the choice of DNS; a platform without that choice has no block."""
    kind = observed.platform
    if kind not in _WITH_CHOICE:
        return {}
    settings = mapping(config, "platform", CLOUDS[kind])
    block: dict[str, Any] = {
        key: text for source, key in _REPEATED[kind].items() if (text := text_of(settings.get(source)))
    }
    if observed.dialect is Dialect.RELEASED:
        lists = ((API_INT_IPS, known.api_int), (API_IPS, known.api))
        hosted = {key: [str(address) for address in addresses] for key, addresses in lists if addresses}
        choice = {"dnsType": "ClusterHosted", **({"clusterHosted": hosted} if hosted else {})}
        block["cloudLoadBalancerConfig"] = choice
    elif kind == "AWS":
        provider = "UserAndClusterProvided" if observed.dialect is Dialect.PROPOSED else ""
        block["dnsConfig"] = {"provider": provider}
    else:
        block["cloudLoadBalancerConfig"] = {"dnsType": "PlatformDefault"}
    return {CLOUDS[kind]: block}


def _topology(replicas: object, default: int) -> str:
    count = replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else default
    return "SingleReplica" if count == 1 else "HighlyAvailable"


def _infrastructure_topology(config: JsonObject) -> str:
    """The topology of the nodes that run the ingress: the workers, or the control plane where there are none."""
    pools = config.get("compute")
    pool = pools[0] if isinstance(pools, list) and pools else None
    replicas = dig(pool, "replicas")
    return _topology(dig(config, "controlPlane", "replicas") if replicas == 0 else replicas, default=3)


def _dns(observed: Observed, config: JsonObject, domain: str, known: Installation) -> JsonObject:
    """The DNS; without zones where the user manages DNS: the ingress operator then writes no record of ``*.apps``."""
    spec: dict[str, Any] = {"baseDomain": domain}
    if observed.dialect is None:
        hosted = known.private_zone or text_of(dig(config, "platform", CLOUDS.get(observed.platform, ""), "hostedZone"))
        if hosted:
            spec["privateZone"] = {"id": hosted}
        elif known.infra_id and observed.platform == "AWS":
            owned = f"kubernetes.io/cluster/{known.infra_id}"
            spec["privateZone"] = {"tags": {"Name": f"{known.infra_id}-int", owned: "owned"}}
        if known.public_zone and is_external(config):
            spec["publicZone"] = {"id": known.public_zone}
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "DNS",
        "metadata": {"name": "cluster"},
        "spec": spec,
    }
