"""The upgrade from 4.13 to 4.14 with OVN interconnect: its ConfigMap, and the keys that each release reads.

Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'CNO implementation details';
cluster-network-operator, release 4.14, ``pkg/network/ovn_kubernetes.go``.
"""

from enum import Enum, StrEnum
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.release import Release
from ovnguard.validators.network.parse_values import mapping, text_of

NAME: Final = "ovn-interconnect-configuration"
NAMESPACE: Final = "openshift-ovn-kubernetes"
ZONE_MODE: Final = "zone-mode"
TEMPORARY: Final = "temporary"
ONGOING: Final = "ongoing-upgrade"
FAST_FORWARD: Final = "fast-forward-to-multizone"
OVERRIDDEN_BY: Final = "ovnguard.io/overridden-by"
OVERRIDDEN_AT: Final = "ovnguard.io/overridden-at"
"""Annotations of the ConfigMap: the user whose request last skipped a phase, and when (RFC 3339, UTC). The mutating
webhook writes them, and keeps others from writing them.
"""
RELEASE_LINE: Final = (4, 14)
# The first z-stream of 4.14 with fast-forward-to-multizone, and without temporary and ongoing-upgrade.
_FIRST_LATE: Final = 14


class Mode(StrEnum):
    """The request in the ConfigMap."""

    ABSENT = "absent"
    SINGLE = "singlezone"
    MULTI = "multizone"
    SKIP = "multizone, first phase skipped"
    FAST = "multizone, both phases skipped"
    UNREADABLE = "unreadable"


class Stream(Enum):
    """The keys that a release of 4.14 knows. HIDDEN: a build without a z-stream number."""

    EARLY = "up to 4.14.13"
    LATE = "from 4.14.14"
    HIDDEN = "any"


def stream(release: Release | None) -> Stream | None:
    """Return the keys that ``release`` knows; None for a release other than 4.14."""
    if release is None or release.line != RELEASE_LINE:
        return None
    if release.patch is None:
        return Stream.HIDDEN
    return Stream.EARLY if release.patch < _FIRST_LATE else Stream.LATE


def is_configuration(obj: JsonObject) -> bool:
    """Whether a ConfigMap is the upgrade's; the operator ignores other names and namespaces."""
    metadata = mapping(obj, "metadata")
    return metadata.get("name") == NAME and metadata.get("namespace") == NAMESPACE


def mode_of(config_map: JsonObject | None) -> Mode:
    """Return the request in ``config_map``, where None means absent. The value of zone-mode is case-insensitive."""
    if config_map is None:
        return Mode.ABSENT
    data = mapping(config_map, "data")
    zone_mode = text_of(data.get(ZONE_MODE)).lower()
    if FAST_FORWARD in data:
        return Mode.FAST
    if zone_mode == "multizone":
        return Mode.SKIP if ONGOING in data and data.get(TEMPORARY) == "false" else Mode.MULTI
    return Mode.SINGLE if zone_mode == "singlezone" else Mode.UNREADABLE
