"""The decision table: the first row whose condition holds says what to do. docs/ic-upgrade.md draws it.

Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect"; cluster-network-operator, release
4.14, ``prepareUpgradeToInterConnect`` and ``isMigrationToMultiZone...``. The operator selects the final folder while
single-zone nodes are rolling out under zone-mode multizone; here the temporary folder stays until the end.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from ovnguard.reconciler.rollout.plan.model import ConfigMapVerb, Folder, Phase
from ovnguard.reconciler.rollout.plan.situation import Situation
from ovnguard.validators.network.ovnkube_settings.interconnect import Mode


class Row(NamedTuple):
    """One row. ``leads_to``: the phases that can follow, with what has happened then."""

    phase: Phase
    title: str
    when: Callable[[Situation], bool]
    folder: Folder
    verb: ConfigMapVerb = ConfigMapVerb.KEEP
    leads_to: tuple[tuple[Phase, str], ...] = ()


_FAST: Final = (Phase.FAST_FORWARD, "an administrator fast-forwards")

TABLE: Final[tuple[Row, ...]] = (
    Row(
        Phase.DOWNGRADE,
        "back to 4.13 in one step: masters first, then nodes",
        lambda s: s.leaves_interconnect,
        Folder.LEGACY,
        leads_to=((Phase.STEADY, "nodes and masters of 4.13 run, and the control plane is gone"),),
    ),
    Row(
        Phase.STEADY,
        "no release with interconnect: nodes first, then masters",
        lambda s: not s.has_interconnect,
        Folder.LEGACY,
        leads_to=((Phase.FIRST_STARTS, "the release becomes 4.14"),),
    ),
    Row(
        Phase.INSTALL,
        "fresh installation: everything together",
        lambda s: s.installs,
        Folder.FINAL,
        leads_to=((Phase.STEADY, "nodes and control plane exist"),),
    ),
    Row(
        Phase.SECOND_ENDS,
        "phase 2 is complete: the masters go",
        lambda s: s.mode not in (Mode.SINGLE, Mode.ABSENT) and s.completed,
        Folder.FINAL,
        ConfigMapVerb.DELETE,
        ((Phase.STEADY, "ovnkube-master is gone"),),
    ),
    Row(
        Phase.SECOND_ENDS,
        "phase 2 is complete: the masters go",
        lambda s: s.mode is Mode.ABSENT and s.seen.master is not None and s.completed,
        Folder.FINAL,
    ),
    Row(
        Phase.FAST_FORWARD,
        "both phases are skipped: nodes and control plane at once",
        lambda s: s.mode is Mode.FAST,
        Folder.FINAL,
        leads_to=((Phase.SECOND_ENDS, "nodes and control plane are multizone"),),
    ),
    Row(
        Phase.STEADY,
        "one zone per node: nodes first, then control plane",
        lambda s: s.mode is Mode.ABSENT and s.multizone and s.seen.master is None,
        Folder.FINAL,
        leads_to=((Phase.DOWNGRADE, "the release becomes 4.13"),),
    ),
    Row(
        Phase.FIRST_STARTS,
        "phase 1 starts: nodes get interconnect in a single zone",
        lambda s: s.mode is Mode.ABSENT and not s.multizone,
        Folder.SINGLE,
        ConfigMapVerb.CREATE,
        ((Phase.FIRST_NODES, "every node has the new image and the new DaemonSet is applied"), _FAST),
    ),
    Row(
        Phase.SECOND_STARTS,
        "phase 1 is complete, phase 2 starts: nodes get zones of their own",
        lambda s: s.mode is Mode.SINGLE and s.guards.first_phase_done(s.seen),
        Folder.TEMPORARY,
        ConfigMapVerb.PATCH,
        ((Phase.SECOND_NODES, "the multizone DaemonSet is applied"), _FAST),
    ),
    Row(
        Phase.FIRST_MASTERS,
        "phase 1: masters get interconnect",
        lambda s: s.first_phase and _nodes_at_release(s) and s.guards.nodes_rolled_out(s.seen),
        Folder.SINGLE,
        leads_to=((Phase.SECOND_STARTS, "nodes and masters run interconnect"), _FAST),
    ),
    Row(
        Phase.FIRST_NODES,
        "phase 1: nodes are rolling out",
        lambda s: s.first_phase and _nodes_at_release(s),
        Folder.SINGLE,
        leads_to=((Phase.FIRST_MASTERS, "every node runs interconnect"), _FAST),
    ),
    Row(
        Phase.FIRST_STARTS,
        "phase 1 starts: nodes get interconnect in a single zone",
        lambda s: s.first_phase,
        Folder.SINGLE,
    ),
    Row(
        Phase.SECOND_STARTS,
        "phase 1 is complete, phase 2 starts: nodes get zones of their own",
        lambda s: not s.multizone,
        Folder.TEMPORARY,
    ),
    Row(
        Phase.SECOND_SETTLES,
        "phase 2: the control plane is rolling out",
        lambda s: s.seen.control_plane is not None,
        Folder.TEMPORARY,
        leads_to=((Phase.SECOND_ENDS, "nodes and control plane are ready"), _FAST),
    ),
    Row(
        Phase.SECOND_CONTROL_PLANE,
        "phase 2: every node is multizone, the control plane is added",
        lambda s: s.guards.nodes_multizone(s.seen),
        Folder.TEMPORARY,
        leads_to=((Phase.SECOND_SETTLES, "the control plane exists"), _FAST),
    ),
    Row(
        Phase.SECOND_NODES,
        "phase 2: nodes are rolling out",
        lambda s: True,
        Folder.TEMPORARY,
        leads_to=((Phase.SECOND_CONTROL_PLANE, "every node is multizone"), _FAST),
    ),
)


def row_of(situation: Situation) -> Row:
    """Return the first row whose condition holds; the last one has none."""
    return next(row for row in TABLE if row.when(situation))


def _nodes_at_release(situation: Situation) -> bool:
    node = situation.seen.node
    return node is not None and node.version == situation.release.text
