"""The environment of each Kubernetes version: the libraries and macros that an expression may use.

A library is available from the release that introduced it. New rules of a CRD are checked in the environment of the
release before, so that a cluster can be rolled back. Their functions still do what the newer release does, since each
release is built with one version of cel-go.

Source: apiserver ``pkg/cel/environment/base.go`` and ``go.mod``.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from ovnguard.validators.cel.library import (
    authz,
    cidr,
    conversions,
    format_string,
    ip,
    k8s_lists,
    k8s_url,
    lists,
    named_format,
    newer_releases,
    older_releases,
    optionals,
    quantity,
    regex,
    semver,
    sets,
    standard,
    strings,
    timestamps,
)
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.static_types import Type

OLDEST: Final = 29
_LIBRARIES: Final[tuple[tuple[int, Callable[[], list[Overload]]], ...]] = (
    (0, standard.declarations),
    (0, strings.standard_declarations),
    (0, conversions.declarations),
    (0, timestamps.declarations),
    (0, k8s_url.declarations),
    (0, regex.declarations),
    (0, k8s_lists.declarations),
    (27, authz.declarations),
    (28, optionals.declarations),
    (28, quantity.declarations),
    (0, strings.declarations),
    (29, strings.quote_declarations),
    (29, format_string.declarations),
    (29, sets.declarations),
    (30, ip.declarations),
    (30, cidr.declarations),
    (31, named_format.declarations),
    (31, authz.selector_declarations),
    (32, lists.map_insert_declarations),
    (33, semver.declarations),
    (34, lists.declarations),
    (37, k8s_lists.includes_declarations),
)
_MACROS: Final = (
    (0, "all/2 exists/2 exists_one/2 map/2 map/3 filter/2"),
    (28, "optMap/2 optFlatMap/2"),
    (32, "all/3 exists/3 existsOne/3 exists_one/3 transformList/3 transformList/4 transformMap/3 transformMap/4"),
    (32, "transformMapEntry/3 transformMapEntry/4"),
    (34, "sortBy/2"),
)
_TYPES: Final = {
    "bool": types.BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "google.protobuf.Duration": types.DURATION,
    "int": types.INT,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    "null_type": types.NULL,
    "string": types.STRING,
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "type": types.TYPE,
    "uint": types.UINT,
    "optional_type": types.optional_of(types.param("V")),
}
# Of cel-go's optional types, what was added in a later version than the rest.
_OPTIONAL_LISTS: Final = frozenset({"first", "last", "optional.unwrap", "unwrapOpt"})
_OPTIONAL_LISTS_SINCE: Final = 33
_OPTIONAL_TYPE_SINCE: Final = 31
_UNREPLACED: Final = 35
"""A release whose functions are those of the library modules."""
_ADDRESS_TYPES: Final = {"net.IP": types.opaque("net.IP"), "net.CIDR": types.opaque("net.CIDR")}


class Environment(NamedTuple):
    """What expressions may use: the libraries of one minor version of Kubernetes, as ``release`` implements them."""

    minor: int
    release: int
    functions: dict[str, tuple[Overload, ...]]
    macros: frozenset[str]
    type_names: dict[str, Type]


def minor_of(version: str) -> int:
    """Return the minor number of "1.NN". Patch and a leading v are ignored.

    Raises ValueError for other texts and for versions before 1.29.
    """
    major, _, rest = version.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    if major != "1" or not minor.isdecimal() or int(minor) < OLDEST:
        raise ValueError(f"Kubernetes version {version!r}: want 1.{OLDEST} or later")
    return int(minor)


@lru_cache(maxsize=16)
def environment(minor: int, release: int | None = None) -> Environment:
    """Return the environment of Kubernetes 1.``minor`` in a server of 1.``release`` (default: the same)."""
    release = minor if release is None else release
    others = (*older_releases.replacements(release), *newer_releases.replacements(release))
    replaced = {one.id: one for one in others}
    removed = newer_releases.REMOVED if release >= newer_releases.SINCE else frozenset()
    table: dict[str, list[Overload]] = {}
    for since, declarations in _LIBRARIES:
        if since <= minor:
            for one in declarations():
                late = release < _OPTIONAL_LISTS_SINCE and one.function in _OPTIONAL_LISTS
                if not late and one.id not in removed:
                    table.setdefault(one.function, []).append(replaced.get(one.id, one))
    macros = frozenset(name for since, names in _MACROS if since <= minor for name in names.split())
    names = {**_TYPES, **(_ADDRESS_TYPES if minor >= 30 else {})}
    if release < _OPTIONAL_TYPE_SINCE:
        del names["optional_type"]
    elif release < newer_releases.SINCE:
        names["optional_type"] = types.opaque("optional_type")
    return Environment(minor, release, {name: tuple(found) for name, found in table.items()}, macros, names)


def newest(release: int | None = None) -> Environment:
    """Return the environment with every known library, by default with the functions that no release replaces."""
    return environment(max(since for since, _ in _LIBRARIES), release or _UNREPLACED)


def find_overload(function: str, overload_id: str, release: int | None = None) -> Overload:
    """Return the overload with that id among all libraries, as a release implements it. Raises KeyError."""
    for one in newest(release).functions[function]:
        if one.id == overload_id:
            return one
    raise KeyError(overload_id)
