"""Which workloads a pass may update: the order of versions, the image on the nodes, the route.

Source: cluster-network-operator, release 4.14, ``shouldUpdateOVNKonUpgrade`` and ``shouldUpdateOVNKonPrepull``.
"""

from dataclasses import dataclass
from enum import Enum

from ovnguard.reconciler.rollout.plan.model import Action, Flavour, Folder, Observed, Phase
from ovnguard.reconciler.rollout.plan.situation import Situation
from ovnguard.reconciler.rollout.plan.table import Row
from ovnguard.validators.network.cluster.release import Release, release_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload


class Delta(Enum):
    """What a workload needs to reach the release."""

    UPGRADE = "older than the release"
    SAME = "at the release"
    DOWNGRADE = "newer than the release"
    UNKNOWN = "of no known version"


@dataclass(frozen=True, slots=True)
class Rolls:
    """What happens to each workload; None for one that the folder does not contain. ``prepull``: the image first."""

    node: Action
    master: Action | None
    control_plane: Action | None
    prepull: bool = False
    inconsistent: bool = False

    @property
    def nodes_update(self) -> bool:
        """Whether the DaemonSet of the nodes is written."""
        return self.node is Action.APPLY


def rolls(situation: Situation, row: Row) -> Rolls:
    """Return what this pass does to each workload."""
    seen = situation.seen
    if row.phase in (Phase.INSTALL, Phase.FAST_FORWARD):
        central = row.folder is Folder.LEGACY
        return Rolls(Action.APPLY, Action.APPLY if central else None, None if central else Action.APPLY)
    node, central, inconsistent = _by_version(situation, _central(seen, row.folder))
    prepull = node and _needs_image(situation)
    action = Action.APPLY if node and not prepull else Action.CREATE_ONLY
    if row.folder is not Folder.FINAL and waits_for_route(seen):
        action = Action.CREATE_WAIT
    return Rolls(
        action, _master(situation, row, central), _control_plane(situation, row, central), prepull, inconsistent
    )


def waits_for_route(seen: Observed) -> bool:
    """Whether hosted nodes have no address of the southbound database yet."""
    return seen.flavour is Flavour.MANAGED and seen.route.rendered and not seen.route.host


def _central(seen: Observed, folder: Folder) -> Workload | None:
    if folder is Folder.FINAL:
        return seen.control_plane
    return seen.master or seen.control_plane


def _by_version(situation: Situation, central: Workload | None) -> tuple[bool, bool, bool]:
    """Return whether versions let nodes and central workload update, and whether they contradict each other.

    An upgrade updates nodes first, a downgrade last; an unknown direction updates both together.
    """
    seen, release = situation.seen, situation.release
    if seen.node is None or central is None:
        return True, True, False
    deltas = delta(seen.node.version, release), delta(central.version, release)
    match deltas:
        case Delta.SAME, Delta.SAME:
            return True, True, False
        case Delta.UPGRADE, Delta.UPGRADE:
            return True, False, False
        case Delta.SAME, Delta.UPGRADE:
            return True, situation.guards.nodes_rolled_out(seen), False
        case Delta.DOWNGRADE, Delta.DOWNGRADE:
            return False, True, False
        case Delta.DOWNGRADE, Delta.SAME:
            return situation.guards.central_rolled_out(seen), True, False
    return True, True, True


def _needs_image(situation: Situation) -> bool:
    """Whether nodes still need the image of the release: the prepuller has it on all of them when it is rolled out."""
    node, prepuller, wanted = situation.seen.node, situation.seen.prepuller, situation.release.text
    if node is None or node.version == wanted:
        return False
    return prepuller is None or prepuller.version != wanted or prepuller.progressing


def _master(situation: Situation, row: Row, central: bool) -> Action | None:
    if row.folder is Folder.FINAL:
        return None
    if row.folder is not Folder.TEMPORARY:
        return Action.APPLY if central else Action.CREATE_ONLY
    done = situation.guards.nodes_multizone(situation.seen)
    # where a control plane is, every node has had a zone of its own, so masters that are gone are not missed
    if situation.seen.master is None and (done or situation.seen.control_plane is not None):
        return None
    return Action.APPLY if central and done else Action.CREATE_ONLY


def _control_plane(situation: Situation, row: Row, central: bool) -> Action | None:
    if row.folder is Folder.FINAL:
        return Action.APPLY if central else Action.CREATE_ONLY
    if row.folder is not Folder.TEMPORARY:
        return None
    if situation.guards.nodes_multizone(situation.seen):
        return Action.APPLY
    return Action.CREATE_WAIT if situation.seen.control_plane is None else Action.CREATE_ONLY


def delta(version: str | None, release: Release) -> Delta:
    """Compare the version of a workload with ``release``, in the order of semantic versions.

    Source: Semantic Versioning 2.0.0, section 11; cluster-network-operator, ``compareVersions``.
    """
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
