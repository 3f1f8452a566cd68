"""The order of releases, as semantic versions have it.

Source: Semantic Versioning 2.0.0, section 11; cluster-network-operator, ``compareVersions``.
"""

from enum import Enum

from validators.network.cluster.release import Release, release_of


class Delta(Enum):
    """What a workload needs to reach the release."""

    UPGRADE = "older than the release"
    SAME = "at the release"
    DOWNGRADE = "newer than the release"
    UNKNOWN = "of no known version"


def delta(version: str | None, release: Release) -> Delta:
    """Compare the version of a workload with ``release``."""
    found = release_of(version)
    if found is None:
        return Delta.UNKNOWN
    if found.text == release.text:
        return Delta.SAME
    return Delta.UPGRADE if _key(found.text) < _key(release.text) else Delta.DOWNGRADE


def _key(text: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]:
    """A key that sorts versions: a pre-release comes before its release, numbers before words."""
    core, _, rest = text.partition("-")
    parts = rest.split(".") if rest else []
    words = tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)
    return tuple(map(int, core.split("."))), not rest, words
