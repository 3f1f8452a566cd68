"""The bundled CRDs and their rule suites, as data. Importing this package reads nothing.

Two generations of the no-overlay API are bundled as schema sets: `enhancement`, as the OpenShift enhancement first
proposed it, and `released`. Kinds that are the same in both lie in the folder `common`. Files:
``<folder>/<group>/<version>/<plural>.yaml``, beside them ``tests/<crdName>/*.yaml`` in the format of openshift/api.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, TypeAlias

Key: TypeAlias = tuple[str, str, str]
JsonObject: TypeAlias = dict[str, Any]

SETS: Final = ("enhancement", "released")
COMMON: Final = "common"

# Group, version, kind -> plural and the folders that hold it. A table, so that asking which kinds there are reads no
# file; a test keeps it equal to the files.
_BUNDLED: Final[Mapping[Key, tuple[str, tuple[str, ...]]]] = {
    ("operator.openshift.io", "v1", "Network"): ("networks", SETS),
    ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork"): ("clusteruserdefinednetworks", SETS),
    ("k8s.ovn.org", "v1", "UserDefinedNetwork"): ("userdefinednetworks", (COMMON,)),
    ("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition"): ("network-attachment-definitions", (COMMON,)),
}


class _Set(Mapping[Key, JsonObject]):
    """CRDs of one schema set; each file is read when it is first asked for."""

    def __init__(self, schema_set: str) -> None:
        self._set = schema_set

    def __getitem__(self, key: Key) -> JsonObject:
        path = _paths(key).get(self._set)
        if path is None:
            raise KeyError(key)
        return _parsed(path)

    def __iter__(self) -> Iterator[Key]:
        return (key for key in _BUNDLED if self._set in _paths(key))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def crds(schema_set: str) -> Mapping[Key, JsonObject]:
    """Return the CRDs of a schema set by group, version and kind, parsed on first access.

    A kind of folder `common` is the very same object in every set. The objects are shared: do not change them.
    ValueError when there is no such set.
    """
    if schema_set not in SETS:
        raise ValueError(f"schema set {schema_set!r} is not one of {', '.join(SETS)}")
    return _Set(schema_set)


def kinds() -> tuple[Key, ...]:
    """Return group, version and kind of every bundled CRD."""
    return tuple(_BUNDLED)


def find(group: str, version: str, kind: str) -> dict[str, Traversable]:
    """Return the file of a kind's CRD for each schema set that knows the kind, in the order of `SETS`."""
    return {name: _root().joinpath(path) for name, path in _paths((group, version, kind)).items()}


def suites() -> tuple[tuple[Traversable, Traversable], ...]:
    """Return every bundled suite as (file of the CRD, file of the suite), sorted by path."""
    found = []
    for (group, version, _), (plural, folders) in _BUNDLED.items():
        for folder in folders:
            place = _root() / folder / group / version
            suite_folder = place / "tests" / f"{plural}.{group}"
            found += [(place / f"{plural}.yaml", suite) for suite in suite_folder.iterdir() if _is_yaml(suite)]
    return tuple(sorted(found, key=str))


def choose(unknown_fields: Mapping[str, int]) -> str:
    """Return the schema set that fits an object best, from the number of unknown fields under each set.

    The set with fewest unknown fields; on a tie the one that stands first in `SETS`. ValueError for an empty mapping.
    """
    return min(unknown_fields, key=lambda name: (unknown_fields[name], SETS.index(name)))


def _root() -> Traversable:
    return files(__name__)


def _paths(key: Key) -> dict[str, str]:
    """The file of each schema set, relative to this package."""
    if key not in _BUNDLED:
        return {}
    plural, folders = _BUNDLED[key]
    return {
        name: f"{folder}/{key[0]}/{key[1]}/{plural}.yaml"
        for name in SETS
        for folder in folders
        if folder in (name, COMMON)
    }


def _is_yaml(path: Traversable) -> bool:
    return path.name.endswith(".yaml") and path.is_file()


@cache
def _parsed(path: str) -> JsonObject:
    # PyYAML is heavy beside what most commands need, and the C loader reads a CRD ten times as fast.
    from yaml import CSafeLoader, load  # noqa: PLC0415 - importing this package must cost nothing

    loaded: JsonObject = load(_root().joinpath(path).read_bytes(), CSafeLoader)
    return loaded
