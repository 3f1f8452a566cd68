"""The bundled CRDs and their rule suites, as data. Importing this package reads nothing.

Two generations of the no-overlay API are bundled as schema sets: `enhancement`, as the OpenShift enhancement first
proposed it, and `released`. Kinds that are equal in both are in the folder `common`. Files:
``<folder>/<group>/<version>/<plural>.yaml``, next to them ``tests/<crdName>/*.yaml`` in the format of openshift/api.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

Key: TypeAlias = tuple[str, str, str]
JsonObject: TypeAlias = dict[str, Any]

PROPOSED: Final = "enhancement"
RELEASED: Final = "released"
SETS: Final = (PROPOSED, RELEASED)
COMMON: Final = "common"
CASES: Final = "cases"
POLICIES: Final = "policies"
POLICY_CASES: Final = "policies/cases"
_ROOT: Final = Path(__file__).parent
BUILT_IN_TYPES: Final = _ROOT / "built-in-types.json.xz"
"""The Go types of the kinds that are built into the API server, of each release; `validators.built_in` reads it."""

# Maps group, version and kind to the plural and its folders. A table, so that listing the kinds reads no file; a test
# compares it with the files.
_BUNDLED: Final[Mapping[Key, tuple[str, tuple[str, ...]]]] = {
    ("operator.openshift.io", "v1", "Network"): ("networks", SETS),
    ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork"): ("clusteruserdefinednetworks", SETS),
    ("k8s.ovn.org", "v1", "UserDefinedNetwork"): ("userdefinednetworks", (COMMON,)),
    ("k8s.ovn.org", "v1", "RouteAdvertisements"): ("routeadvertisements", (COMMON,)),
    ("k8s.ovn.org", "v1", "EgressIP"): ("egressips", (COMMON,)),
    ("k8s.ovn.org", "v1", "EgressService"): ("egressservices", (COMMON,)),
    ("k8s.ovn.org", "v1", "ClusterNetworkConnect"): ("clusternetworkconnects", (COMMON,)),
    ("k8s.ovn.org", "v1", "VTEP"): ("vteps", (COMMON,)),
    ("k8s.ovn.org", "v1alpha1", "Uplink"): ("uplinks", (COMMON,)),
    ("k8s.ovn.org", "v1alpha1", "UplinkState"): ("uplinkstates", (COMMON,)),
    ("k8s.ovn.org", "v1", "EgressFirewall"): ("egressfirewalls", (COMMON,)),
    ("k8s.ovn.org", "v1", "EgressQoS"): ("egressqoses", (COMMON,)),
    ("k8s.ovn.org", "v1alpha1", "NetworkQoS"): ("networkqoses", (COMMON,)),
    ("k8s.ovn.org", "v1", "AdminPolicyBasedExternalRoute"): ("adminpolicybasedexternalroutes", (COMMON,)),
    ("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition"): ("network-attachment-definitions", (COMMON,)),
    ("frrk8s.metallb.io", "v1beta1", "FRRConfiguration"): ("frrconfigurations", (COMMON,)),
    ("config.openshift.io", "v1", "Infrastructure"): ("infrastructures", SETS),
    ("config.openshift.io", "v1", "DNS"): ("dnses", (COMMON,)),
    ("config.openshift.io", "v1", "Ingress"): ("ingresses", SETS),
    ("operator.openshift.io", "v1", "IngressController"): ("ingresscontrollers", (COMMON,)),
    ("install.openshift.io", "v1", "InstallConfig"): ("installconfigs", SETS),
}
# Texts inside objects, treated as objects of these kinds, which no server has and no manifest may contain.
_EMBEDDED: Final[Mapping[Key, tuple[str, tuple[str, ...]]]] = {
    ("k8s.cni.cncf.io", "v1", "OVNKubernetesConfig"): ("ovnkubernetesconfigs", (COMMON,)),
}


_OVN: Final = "spec.defaultNetwork.ovnKubernetesConfig"
_AWS: Final = "status.platformStatus.aws"
# Where the sets differ, by kind: the only set that has a field, or the only set that has a value of a field.
_DIFFERENCES: Final[Mapping[tuple[str, str], Mapping[str, str | Mapping[str, str]]]] = {
    ("operator.openshift.io", "Network"): {
        f"{_OVN}.defaultNetworkTransport": PROPOSED,
        f"{_OVN}.defaultNetworkNoOverlayOptions": PROPOSED,
        f"{_OVN}.transport": RELEASED,
        f"{_OVN}.noOverlayConfig": RELEASED,
        f"{_OVN}.bgpManagedConfig.bgpTopology": {
            "fullMesh": PROPOSED,
            "routeReflector": PROPOSED,
            "FullMesh": RELEASED,
        },
        # one set requires what the other one fills in
        f"{_OVN}.bgpManagedConfig": {},
    },
    ("k8s.ovn.org", "ClusterUserDefinedNetwork"): {
        "spec.network.noOverlayOptions": PROPOSED,
        "spec.network.noOverlay": RELEASED,
        "spec.network.evpn": RELEASED,
        "spec.uplinks": RELEASED,
        "spec.network.transport": {"Geneve": PROPOSED, "EVPN": RELEASED},
    },
    ("config.openshift.io", "Infrastructure"): {
        f"{_AWS}.dnsConfig": PROPOSED,
        f"{_AWS}.cloudLoadBalancerConfig": RELEASED,
        "status.platformStatus.azure.cloudLoadBalancerConfig": RELEASED,
        "status.platformStatus.gcp.cloudLoadBalancerConfig": RELEASED,
    },
    ("config.openshift.io", "Ingress"): {"spec.loadBalancer.platform.aws.eipAllocations": PROPOSED},
    ("install.openshift.io", "InstallConfig"): {
        "platform.aws.userConfiguredDNSLB": PROPOSED,
        "platform.aws.staticIPs": PROPOSED,
        "platform.azure.staticIPs": PROPOSED,
        "platform.gcp.staticIPs": PROPOSED,
        "platform.aws.userProvisionedDNS": RELEASED,
        "platform.azure.userProvisionedDNS": RELEASED,
        "platform.gcp.userProvisionedDNS": RELEASED,
    },
}


class Difference(NamedTuple):
    """A field of an object at which the schema sets differ, and the only set that has it, "" if both do."""

    path: str
    schema_set: str


class _Set(Mapping[Key, JsonObject]):
    """CRDs of one schema set; each file is read on first use."""

    def __init__(self, schema_set: str) -> None:
        self._set = schema_set

    def __getitem__(self, key: Key) -> JsonObject:
        path = paths(*key).get(self._set)
        if path is None:
            raise KeyError(key)
        return parsed(path)

    def __iter__(self) -> Iterator[Key]:
        return (key for key in _BUNDLED if self._set in paths(*key))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def crds(schema_set: str) -> Mapping[Key, JsonObject]:
    """Return the CRDs of a schema set by group, version and kind, parsed on first access.

    A kind of folder `common` is the very same object in every set. The objects are shared: do not change them. Raises
    ValueError for an unknown set.
    """
    if schema_set not in SETS:
        raise ValueError(f"schema set {schema_set!r} is not one of {', '.join(SETS)}")
    return _Set(schema_set)


def kinds() -> tuple[Key, ...]:
    """Return group, version and kind of every bundled CRD."""
    return tuple(_BUNDLED)


def embedded() -> dict[Key, str]:
    """Return the file, as `paths` names it, of each definition of a text inside objects.

    The text is the ``spec`` of an object of that group, version and kind.
    """
    return {
        (group, version, kind): f"{folder}/{group}/{version}/{plural}.yaml"
        for (group, version, kind), (plural, folders) in _EMBEDDED.items()
        for folder in folders
    }


def find(group: str, version: str, kind: str) -> dict[str, Path]:
    """Return the file of a kind's CRD for each schema set that knows the kind, in the order of `SETS`."""
    return {name: _ROOT / path for name, path in paths(group, version, kind).items()}


def paths(group: str, version: str, kind: str) -> dict[str, str]:
    """Return the same files relative to this package: sets that share a file have one definition."""
    plural, folders = _BUNDLED.get((group, version, kind), ("", ()))
    return {
        name: f"{folder}/{group}/{version}/{plural}.yaml"
        for name in SETS
        for folder in folders
        if folder in (name, COMMON)
    }


def whole_set(place: str) -> tuple[str, ...]:
    """Return the folders of ``place``: a schema set, given by name or as its folder, includes the folder `COMMON`."""
    path = Path(place)
    if place in SETS and not path.exists():
        path = _ROOT / place
    common = path.parent / COMMON
    return (str(path), str(common)) if path.name in SETS and common.is_dir() else (place,)


def definition_files() -> tuple[str, ...]:
    """Return the file of every definition once, kinds in the order of their table, sets in the order of `SETS`."""
    listed = [path for key in kinds() for path in paths(*key).values()]
    return tuple(dict.fromkeys([*listed, *embedded().values()]))


def data_files(folder: str) -> tuple[str, ...]:
    """Return the YAML files of `CASES`, `POLICIES` or `POLICY_CASES`, sorted; `read` and `parsed` take their names."""
    return tuple(sorted(f"{folder}/{path.name}" for path in (_ROOT / folder).glob("*.yaml")))


def crd_name(group: str, version: str, kind: str) -> str:
    """Return the name of a bundled kind's CRD, ``plural.group``. Raises KeyError for a kind that is not bundled."""
    return f"{_BUNDLED[(group, version, kind)][0]}.{group}"


def read(path: str) -> bytes:
    """Return the text of a file of `paths`."""
    return (_ROOT / path).read_bytes()


@cache
def parsed(path: str) -> JsonObject:
    """Return the CRD in a file of `paths`; the object is shared: do not change it."""
    return parse(read(path))


def parse(text: bytes) -> JsonObject:
    """Return the CRD in a text of `read`."""
    # the C loader reads a CRD ten times as fast as the other one
    from yaml import CSafeLoader, load

    loaded: JsonObject = load(text, CSafeLoader)
    return loaded


def suites() -> tuple[tuple[Path, Path], ...]:
    """Return every bundled suite as (file of the CRD, file of the suite), sorted by path."""
    found = []
    for (group, version, _), (plural, folders) in (*_BUNDLED.items(), *_EMBEDDED.items()):
        for folder in folders:
            place = _ROOT / folder / group / version
            suite_folder = place / "tests" / f"{plural}.{group}"
            found += [(place / f"{plural}.yaml", suite) for suite in suite_folder.iterdir() if _is_yaml(suite)]
    return tuple(sorted(found, key=str))


def choose(unknown_fields: Mapping[str, int], only: str = "", usual: str = RELEASED) -> str:
    """Return the schema set that fits an object best, from the number of unknown fields under each set.

    The set with fewest unknown fields; on a tie ``only``, the only set that has some field (see `difference`), else
    ``usual``, the set that the cluster runs. Raises ValueError for an empty mapping.
    """
    return min(unknown_fields, key=lambda name: (unknown_fields[name], name != only, name != usual, SETS.index(name)))


def difference(group: str, kind: str, obj: Mapping[str, Any]) -> Difference | None:
    """Return a field of ``obj`` at which the sets differ, first those that only one set has; None where they agree."""
    found = [
        Difference(path, sets if isinstance(sets, str) else _of_value(value, sets))
        for path, sets in _DIFFERENCES.get((group, kind), {}).items()
        if (value := _value(obj, path)) is not None
    ]
    return min(found, key=lambda each: not each.schema_set, default=None)


def _value(obj: Any, path: str) -> Any:
    for step in path.split("."):
        obj = obj.get(step) if isinstance(obj, Mapping) else None
    return obj


def _of_value(value: Any, sets: Mapping[str, str]) -> str:
    return sets.get(value, "") if isinstance(value, str) else ""


def _is_yaml(path: Path) -> bool:
    return path.name.endswith(".yaml") and path.is_file()
