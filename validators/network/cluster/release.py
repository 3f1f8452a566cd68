"""The release that a cluster runs or upgrades to, and whether it is upgrading, from its ClusterVersion.

Source: openshift/api, config/v1, ``ClusterVersionStatus``: ``desired`` is the target release, the first entry of
``history`` the latest release that an update started.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CLUSTER_VERSION
from ovnguard.validators.network.parse_values import dig, text_of

_VERSION: Final = lazy_pattern(
    r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})(-[0-9A-Za-z.+-]{1,100})?", re.ASCII
)


class Release(NamedTuple):
    """A release ``4.14.13``. ``patch`` is None for builds such as ``4.14.0-0.nightly-...``, of unknown content."""

    major: int
    minor: int
    patch: int | None
    text: str

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number, the key for comparing releases."""
        return self.major, self.minor


def release_of(version: object) -> Release | None:
    """Parse a version; None for any other text."""
    text = text_of(version)
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    is_build = found[3] == "0" and (found[4] or "").startswith("-0.")
    return Release(int(found[1]), int(found[2]), None if is_build else int(found[3]), text)


def target_release(inventory: Inventory) -> Release | None:
    """Return the release that the cluster runs or upgrades to; None when it is unknown."""
    return inventory.derived(_target, CLUSTER_VERSION)


def is_progressing(inventory: Inventory) -> bool:
    """Whether the cluster is known to be installing or upgrading: condition Progressing is True."""
    return inventory.derived(_progressing, CLUSTER_VERSION)


def _progressing(inventory: Inventory) -> bool:
    return any(_has_progressing(each) for each in inventory.objects(CLUSTER_VERSION) or ())


def _has_progressing(cluster_version: object) -> bool:
    conditions = dig(cluster_version, "status", "conditions")
    listed = conditions if isinstance(conditions, list) else []
    return any(dig(each, "type") == "Progressing" and dig(each, "status") == "True" for each in listed)


def _target(inventory: Inventory) -> Release | None:
    found = {next(_targets(each), None) for each in inventory.objects(CLUSTER_VERSION) or ()}
    return found.pop() if len(found) == 1 else None


def _targets(cluster_version: object) -> Iterator[Release]:
    """Fields that may name the release, the best first."""
    history = dig(cluster_version, "status", "history")
    last = history[0] if isinstance(history, list) and history else None
    named = (
        dig(cluster_version, "status", "desired", "version"),
        dig(cluster_version, "spec", "desiredUpdate", "version"),
        dig(last, "version"),
    )
    yield from filter(None, map(release_of, named))
