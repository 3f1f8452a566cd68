"""Objects and rows of a bundle under other names and addresses, so that an audit of them finds the same.

The objects with ovnkube's options are scripts and files, in which nobody can tell a name from a word of the shell. In
their place stands one DaemonSet whose command line has the options that they result in.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_interface
from typing import Any, Final

from ovnguard.reconciler.plan.bundle.anonymous_addresses import SHORTEST, Addresses
from ovnguard.reconciler.plan.bundle.anonymous_texts import Texts
from ovnguard.reconciler.plan.bundle.anonymous_words import Words
from ovnguard.reconciler.plan.rows.names import address_set_hash
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Row
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import (
    CLUSTER_VERSION,
    CONFIG_MAP,
    DAEMON_SET,
    INFRASTRUCTURE,
    GroupKind,
    ObjectsView,
)
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.model import IPNetwork
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import configures_ovnkube, ovnkube_options
from ovnguard.validators.network.parse_values import dig

# Kinds with versions of the product, and no name that somebody chose.
_AS_THEY_ARE: Final = (CLUSTER_VERSION, INFRASTRUCTURE)
_KEYED_BY_NAMES: Final = frozenset({"labels", "matchLabels", "nodeSelector"})
_KEPT_FIELDS: Final = frozenset({"apiVersion", "kind", "uid", "conditions"})
# Of ConfigMaps, reports among them, only this one has no text.
_NUMBERS: Final = "mtu"
_EVENT: Final = GroupKind("", "Event")
_OVNKUBE: Final = "openshift-ovn-kubernetes"
_CIDR: Final = re.compile(r"(?<![0-9A-Za-z.:])[0-9A-Fa-f:.]+/[0-9]{1,3}")
_ADDRESS: Final = re.compile(r"(?<![0-9A-Za-z.:])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]*:[0-9A-Fa-f]{0,4}(?![0-9A-Za-z:])")
# Longer prefixes are those of single links and addresses.
_LONGEST: Final = {4: 30, 6: 124}


class Anonymous:
    """Renames the objects and rows of one cluster by ``key``, which nobody keeps."""

    def __init__(self, key: bytes, objects: Sequence[JsonObject]) -> None:
        self._all = objects
        self._texts = Texts(Addresses(key, networks_in(objects)), Words(key))
        self._see(objects)

    def text(self, text: str) -> str:
        """Return a text, such as the name of an object, under its new name."""
        return self._texts.text(text)

    def objects(self, objects: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Yield objects under other names, without Events and others in whose texts nobody can tell the names."""
        for obj in objects:
            kind = group_kind_of(obj)
            if kind in _AS_THEY_ARE:
                yield obj
            elif (
                kind != _EVENT
                and not configures_ovnkube(obj)
                and (kind != CONFIG_MAP or dig(obj, "metadata", "name") == _NUMBERS)
            ):
                yield self._value(obj)

    def options(self) -> JsonObject:
        """Return a DaemonSet with the options of ovnkube that the objects of the cluster result in."""
        view = ObjectsView(self._all)
        found = ovnkube_options(inventory_of(view))
        options = ((name, option.value) for name, option in found.by_name.items() if option.value is not None)
        line = [f"--{name}={self.text(value)}" for name, value in options if not name.startswith("[")]
        container = {"name": "ovnkube-controller", "command": ["ovnkube", "--init-ovnkube-controller", *line]}
        return {
            "apiVersion": f"{DAEMON_SET.group}/v1",
            "kind": DAEMON_SET.kind,
            "metadata": {"name": "ovnkube-node", "namespace": _OVNKUBE},
            "spec": {"template": {"spec": {"containers": [container]}}},
        }

    def rows(self, rows: Sequence[Row]) -> Iterator[Row]:
        """Yield the rows of a database under other names."""
        self._see(rows)
        texts = self._texts.with_hashes(dict(self._hashes(rows)))
        for row in rows:
            yield Row(row.table, row.uuid, {name: _renamed(value, texts) for name, value in row.columns.items()})

    def _hashes(self, rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
        """Names that are the hash of a row's id, and the hash of its new id."""
        for row in rows:
            notes = row.columns.get("external_ids")
            identity = notes.get(DATABASE_ID) if isinstance(notes, Mapping) else None
            if identity and row.columns.get("name") == address_set_hash(identity):
                yield address_set_hash(identity), address_set_hash(self.text(identity))

    def _see(self, values: Iterable[Any]) -> None:
        """Rename all IPv6 addresses: a MAC may follow from one, and does not tell from which."""
        for text in _strings(values):
            for found in _ADDRESS.findall(text):
                self.text(found)

    def _value(self, value: Any, parent: str = "") -> Any:
        if parent in _KEPT_FIELDS:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(each, parent) for each in value]
        if not isinstance(value, Mapping):
            return value
        if parent in _KEYED_BY_NAMES:
            return {self.text(key): self._value(each, key) for key, each in value.items()}
        return {key: self._value(each, key) for key, each in value.items()}


def networks_in(objects: Iterable[JsonObject]) -> frozenset[IPNetwork]:
    """Return the networks that objects name, alone or with an address in them."""
    texts = {found for text in _strings(objects) for found in _CIDR.findall(text)}
    return frozenset(filter(None, map(_network, texts)))


def _network(text: str) -> IPNetwork | None:
    try:
        network = ip_interface(text).network
    except ValueError:
        return None
    version = network.version
    return network if SHORTEST[version] <= network.prefixlen <= _LONGEST[version] else None


def _renamed(value: Column, texts: Texts) -> Column:
    if isinstance(value, str):
        return texts.text(value)
    # a reference is a tuple, too
    if type(value) is tuple:
        return tuple(texts.text(each) if isinstance(each, str) else each for each in value)
    if isinstance(value, Mapping):
        return {texts.text(key): texts.text(each) for key, each in value.items()}
    return value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from _strings(each)
    elif isinstance(value, Row):
        yield from _strings(value.columns)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)
