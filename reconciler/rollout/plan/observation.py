"""Reads Kubernetes objects into what the decision needs.

Objects are untrusted: what cannot be read is a problem, and no step is taken on a guess.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Flavour, IPFamilies, IPsec, Observed, Override, Problem, Route
from ovnguard.reconciler.rollout.plan.situation import CONFIG_MAP
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.cluster.workloads import containers
from ovnguard.validators.network.cluster_view import DAEMON_SET, DEPLOYMENT, STATEFUL_SET
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE, OVERRIDDEN_AT, OVERRIDDEN_BY
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import (
    CONTROL_PLANE,
    MASTER,
    NODE,
    PREPULLER,
    VERSION_ANNOTATION,
    Workload,
    workload_of,
)
from ovnguard.validators.network.parse_values import dig, mapping, text_of

IP_FAMILY_ANNOTATION: Final = "networkoperator.openshift.io/ip-family-mode"
_SHOWN: Final = 60
# One of these containers shows that a workload is what its name says.
_CONTAINERS: Final[Mapping[str, tuple[str, ...]]] = {
    NODE: ("ovnkube-node", "ovnkube-controller"),
    MASTER: ("ovnkube-master",),
    CONTROL_PLANE: ("ovnkube-cluster-manager", "ovnkube-control-plane"),
}


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects as the API server returned them; None for one that does not exist.

    ``unreadable``: objects that could not be read for another reason than their absence.
    """

    release: object
    flavour: Flavour = Flavour.SELF_HOSTED
    central_namespace: str = NAMESPACE
    node: object = None
    master: object = None
    control_plane: object = None
    prepuller: object = None
    config_map: object = None
    route: object = None
    route_rendered: bool = True
    ipsec_legacy: object = None
    ipsec_enabled: bool = False
    master_addresses: int = 3
    ip_family_mode: str = ""
    unreadable: tuple[Problem, ...] = ()


def observe(objects: Objects) -> Observed:
    """Return what ``objects`` show."""
    problems = list(objects.unreadable)
    release = release_of(objects.release)
    if release is None:
        problems.append(Problem("release", f"{_shown(objects.release)} is not a version"))
    master_kind = STATEFUL_SET if objects.flavour is Flavour.MANAGED else DAEMON_SET
    central = objects.central_namespace
    node = _workload(objects.node, DAEMON_SET.kind, NAMESPACE, NODE, problems)
    master = _workload(objects.master, master_kind.kind, central, MASTER, problems)
    control_plane = _workload(objects.control_plane, DEPLOYMENT.kind, central, CONTROL_PLANE, problems)
    return Observed(
        release=release,
        flavour=objects.flavour,
        central_namespace=central,
        node=node,
        master=master,
        control_plane=control_plane,
        prepuller=_workload(objects.prepuller, DAEMON_SET.kind, NAMESPACE, PREPULLER, problems),
        config_map=_config_map(objects.config_map, problems),
        override=_override(objects.config_map),
        route=Route(objects.route is not None, _host(objects.route), objects.route_rendered),
        master_addresses=objects.master_addresses,
        ip_families=_families(objects),
        ipsec=IPsec(objects.ipsec_enabled, objects.ipsec_legacy is not None),
        not_understood=tuple(problems),
    )


def _workload(obj: object, kind: str, namespace: str, name: str, problems: list[Problem]) -> Workload | None:
    if obj is None:
        return None
    found = tuple(_workload_problems(obj, kind, namespace, name))
    problems.extend(Problem(f"{kind} {namespace}/{name}", detail) for detail in found)
    return None if found or not isinstance(obj, Mapping) else workload_of(obj, kind)


def _workload_problems(obj: object, kind: str, namespace: str, name: str) -> Iterator[str]:
    identity = dig(obj, "kind"), dig(obj, "metadata", "namespace"), dig(obj, "metadata", "name")
    if identity != (kind, namespace, name):
        yield f"is another object: {' '.join(map(_shown, identity))}"
        return
    version = mapping(obj, "metadata", "annotations").get(VERSION_ANNOTATION)
    if version is not None and release_of(version) is None:
        yield f"annotation {VERSION_ANNOTATION} is {_shown(version)}, which is not a version"
    expected = _CONTAINERS.get(name)
    if expected is None:
        return
    ours = [(path, each) for path, each in containers(obj) if each.get("name") in expected]
    if not ours:
        yield f"has no container {' or '.join(expected)}"
    for path, container in ours:
        for key in ("command", "args"):
            if not _is_texts(container.get(key)):
                yield f"{path}.{key} is not a list of strings"


def _is_texts(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _config_map(obj: object, problems: list[Problem]) -> Mapping[str, str] | None:
    """Return the data; an unreadable ConfigMap has empty data, which is not a valid request."""
    if obj is None:
        return None
    data = dig(obj, "data")
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        problems.append(Problem(CONFIG_MAP, "data is not a mapping"))
        return {}
    wrong = sorted(str(key) for key, value in data.items() if not isinstance(key, str) or not isinstance(value, str))
    problems.extend(Problem(CONFIG_MAP, f"data[{key[:_SHOWN]}] is not a string") for key in wrong)
    return {key: value for key, value in data.items() if isinstance(key, str) and isinstance(value, str)}


def _override(config_map: object) -> Override | None:
    annotations = mapping(config_map, "metadata", "annotations")
    by, at = text_of(annotations.get(OVERRIDDEN_BY)), text_of(annotations.get(OVERRIDDEN_AT))
    return Override(by, at) if by and at else None


def _host(route: object) -> str:
    """The host that the router admitted, otherwise the one of the specification."""
    ingress = dig(route, "status", "ingress")
    first = ingress[0] if isinstance(ingress, list) and ingress else None
    return text_of(dig(first, "host")) or text_of(dig(route, "spec", "host"))


def _families(objects: Objects) -> IPFamilies | None:
    if not objects.ip_family_mode:
        return None
    central = objects.master if objects.master is not None else objects.control_plane
    return IPFamilies(objects.ip_family_mode, _family(objects.node), _family(central))


def _family(obj: object) -> str:
    return text_of(mapping(obj, "metadata", "annotations").get(IP_FAMILY_ANNOTATION))


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else type(value).__name__
    return repr(text[:_SHOWN]) if isinstance(value, str) else text
