"""Objects that are newer than a database: when it was collected, their rows may not have been written."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.network_of import group_kind_of, network_of
from ovnguard.validators.network.parse_values import dig, text_of

_ADDRESS: Final = re.compile(r"[0-9A-Fa-f.:]{3,45}")
_WORD: Final = re.compile(r"[^\s,\[\]]+")
# A name in a row ends where no name of an object continues; prefixes such as k8s- may precede it.
_NAME: Final = r"(?<![a-z0-9]){}(?![a-z0-9.-])"


@dataclass(frozen=True, slots=True)
class NewerObjects:
    """Titles of objects (``Pod shop/web-1``) by what shows their rows: the network that they declare, a pattern of
    their name in rows, and the addresses that they contain.
    """

    networks: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[re.Pattern[str], str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)

    def concerned(self, each: Difference) -> str:
        """Return the title of the object that a difference concerns, '' for none. No row that only the zone has and no
        value that only the zone has follows from a newer object.
        """
        if each.network in self.networks:
            return self.networks[each.network]
        if each.side is Side.OBSERVED:
            return ""
        text = f"{each.identity} {each.planned}"
        for name, title in self.names.items():
            if name.search(text):
                return title
        words = _WORD.findall(each.planned if each.side is Side.BOTH else each.identity)
        found = [self.addresses.get(word.strip('"').partition("/")[0], "") for word in words]
        if each.side is Side.BOTH:
            return found[0] if found and all(found) and not each.observed else ""
        return next(filter(None, found), "")


NOTHING_NEWER: Final = NewerObjects()


def newer_objects(objects: Iterable[JsonObject]) -> NewerObjects:
    """Return what shows the rows of these objects."""
    networks: dict[str, str] = {}
    names: dict[re.Pattern[str], str] = {}
    addresses: dict[str, str] = {}
    for obj in objects:
        name, namespace = text_of(dig(obj, "metadata", "name")), text_of(dig(obj, "metadata", "namespace"))
        title = f"{obj['kind']} {namespace}/{name}" if namespace else f"{obj['kind']} {name}"
        if dig(obj, "metadata", "ownerReferences") and group_kind_of(obj) == NAD:
            # The network is older than its attachment in one more namespace.
            continue
        declared = network_of(obj).network
        if declared is not None:
            networks[declared.name] = title
            continue
        known = f"{re.escape(namespace)}[/_]{re.escape(name)}" if namespace else re.escape(name)
        names[re.compile(_NAME.format(known))] = title
        addresses |= dict.fromkeys(_addresses(obj), title)
    return NewerObjects(networks, names, addresses)


def _addresses(obj: JsonObject) -> Iterator[str]:
    for found in _ADDRESS.findall(json.dumps(obj)):
        try:
            yield str(ip_address(found))
        except ValueError:
            continue
