"""The rows of the decision table, and the scenarios of the design: what is observed, and what is decided."""

from typing import Any, NamedTuple

from ovnguard.reconciler.rollout.plan.model import Folder, Observed, Route
from tests.support.rollout.rollout_states import (
    EARLY,
    EARLY_MULTI,
    EARLY_SINGLE,
    FAST,
    MULTI,
    OLD,
    SINGLE,
    master,
    master_ic,
    multi,
    node,
    plane,
    prepuller,
    single,
    state,
)

KEEP: tuple[str, dict[str, str]] = ("keep", {})
APPLY_ALL = ["apply ovnkube-control-plane", "apply ovnkube-node"]
ROLLING: dict[str, Any] = {"updated": 3, "unavailable": 1}
HUNG: dict[str, Any] = {"updated": 5, "unavailable": 1, "hung": True}
ROUTE = Route(exists=True, host="sbdb.example")
REMOVED = {"monitor-master", "005-service", "ovnkube-master"}

PREPULL = [
    "apply pre-puller",
    "create-only ovnkube-master",
    "create-only ovnkube-node",
    "wait ovnkube-upgrades-prepuller",
]
NODES_GO = [
    "create-only ovnkube-master",
    "apply ovnkube-node",
    "remove pre-puller",
    "wait ovnkube-node",
]
NODES_ROLL = ["create-only ovnkube-master", "apply ovnkube-node", "wait ovnkube-node"]
MASTERS_ROLL = ["apply ovnkube-master", "apply ovnkube-node", "wait ovnkube-master"]
NODES_GO_MULTIZONE = [
    "create-wait ovnkube-control-plane",
    "create-only ovnkube-master",
    "apply ovnkube-node",
    "wait ovnkube-node",
]
CONTROL_PLANE_ROLLS = [
    "apply ovnkube-control-plane",
    "apply ovnkube-master",
    "apply ovnkube-node",
    "wait ovnkube-control-plane",
]


class Row(NamedTuple):
    """A state, and what is decided: phase, folder, write of the ConfigMap, and the steps about workloads."""

    seen: Observed
    phase: str
    folder: Folder
    config_map: tuple[str, dict[str, str]]
    steps: list[str]


ROWS: dict[str, Row] = {
    "fresh installation": Row(state(), "S0", Folder.FINAL, KEEP, [*APPLY_ALL, "wait ovnkube-node"]),
    "fresh installation, nodes exist": Row(
        state(node=multi(unavailable=6)), "S0", Folder.FINAL, KEEP, [*APPLY_ALL, "wait ovnkube-node"]
    ),
    "phase 1 starts": Row(state(node=node(), master=master()), "S1", Folder.SINGLE, ("create", SINGLE), PREPULL),
    "phase 1 starts up to 4.14.13": Row(
        state(EARLY, node=node(), master=master()), "S1", Folder.SINGLE, ("create", EARLY_SINGLE), PREPULL
    ),
    "phase 1 starts with a node that is drained": Row(
        state(node=node(unavailable=1), master=master()), "S1", Folder.SINGLE, ("create", SINGLE), PREPULL
    ),
    "no phases within 4.13": Row(
        state("4.13.41", node=node(), master=master(), prepuller=prepuller("4.13.41")),
        "S9",
        Folder.LEGACY,
        KEEP,
        NODES_GO,
    ),
    "the image is on every node": Row(
        state(node=node(), master=master(), config_map=SINGLE, prepuller=prepuller()),
        "S1",
        Folder.SINGLE,
        KEEP,
        NODES_GO,
    ),
    "the image of another release": Row(
        state(node=node(), master=master(), config_map=SINGLE, prepuller=prepuller(EARLY)),
        "S1",
        Folder.SINGLE,
        KEEP,
        PREPULL,
    ),
    "the prepuller hangs on one node": Row(
        state(node=node(), master=master(), config_map=SINGLE, prepuller=prepuller(**HUNG)),
        "S1",
        Folder.SINGLE,
        KEEP,
        NODES_GO,
    ),
    "phase 1, nodes roll out": Row(
        state(node=single(updated=5), master=master(), config_map=SINGLE), "S2", Folder.SINGLE, KEEP, NODES_ROLL
    ),
    "phase 1, nodes hang two behind": Row(
        state(node=single(updated=4, hung=True), master=master(), config_map=SINGLE),
        "S2",
        Folder.SINGLE,
        KEEP,
        NODES_ROLL,
    ),
    "phase 1, nodes hang one behind": Row(
        state(node=single(**HUNG), master=master(), config_map=SINGLE), "S3", Folder.SINGLE, KEEP, MASTERS_ROLL
    ),
    "phase 1, masters roll out": Row(
        state(node=single(), master=master_ic(updated=2, unavailable=1), config_map=SINGLE),
        "S3",
        Folder.SINGLE,
        KEEP,
        MASTERS_ROLL,
    ),
    "phase 1 is complete": Row(
        state(node=single(), master=master_ic(), config_map=SINGLE),
        "S4",
        Folder.TEMPORARY,
        ("patch", MULTI),
        NODES_GO_MULTIZONE,
    ),
    "phase 1 is complete up to 4.14.13": Row(
        state(EARLY, node=single(EARLY), master=master_ic(EARLY), config_map=EARLY_SINGLE),
        "S4",
        Folder.TEMPORARY,
        ("patch", {"zone-mode": "multizone", "temporary": "false"}),
        NODES_GO_MULTIZONE,
    ),
    "phase 2 starts after a restart, a node is not ready": Row(
        state(node=single(unavailable=1), master=master_ic(), config_map=MULTI),
        "S4",
        Folder.TEMPORARY,
        KEEP,
        NODES_GO_MULTIZONE,
    ),
    "multizone by hand before nodes run interconnect": Row(
        state(node=single(updated=3), master=master(), config_map=MULTI), "S2", Folder.SINGLE, KEEP, NODES_ROLL
    ),
    "phase 2, nodes roll out": Row(
        state(node=multi(**ROLLING), master=master_ic(), config_map=MULTI),
        "S5",
        Folder.TEMPORARY,
        KEEP,
        NODES_GO_MULTIZONE,
    ),
    "phase 2, nodes are done": Row(
        state(node=multi(), master=master_ic(), config_map=MULTI), "S6", Folder.TEMPORARY, KEEP, CONTROL_PLANE_ROLLS
    ),
    "phase 2, control plane rolls out": Row(
        state(node=multi(), master=master_ic(), control_plane=plane(unavailable=1), config_map=MULTI),
        "S7",
        Folder.TEMPORARY,
        KEEP,
        CONTROL_PLANE_ROLLS,
    ),
    "phase 2, a node restarts at the end": Row(
        state(node=multi(unavailable=1), master=master_ic(), control_plane=plane(), config_map=MULTI),
        "S7",
        Folder.TEMPORARY,
        KEEP,
        [
            "create-only ovnkube-control-plane",
            "create-only ovnkube-master",
            "apply ovnkube-node",
            "wait ovnkube-node",
        ],
    ),
    "phase 2 is complete": Row(
        state(node=multi(), master=master_ic(), control_plane=plane(), config_map=MULTI),
        "S8",
        Folder.FINAL,
        ("delete", {}),
        [*APPLY_ALL, "annotate ovnkube-node", "remove ovnkube-master", "wait ovnkube-master"],
    ),
    "phase 2 is complete, masters were deleted by hand": Row(
        state(node=multi(), control_plane=plane(), config_map=MULTI),
        "S8",
        Folder.FINAL,
        ("delete", {}),
        [*APPLY_ALL, "annotate ovnkube-node"],
    ),
    "a restart before the masters are removed": Row(
        state(node=multi(), master=master_ic(), control_plane=plane()),
        "S8",
        Folder.FINAL,
        KEEP,
        [*APPLY_ALL, "annotate ovnkube-node", "remove ovnkube-master", "wait ovnkube-master"],
    ),
    "a ConfigMap lost in phase 2": Row(
        state(node=multi(**ROLLING), master=master_ic()), "S5", Folder.TEMPORARY, KEEP, NODES_GO_MULTIZONE
    ),
    "a ConfigMap lost in phase 1": Row(
        state(node=single(updated=3), master=master()), "S1", Folder.SINGLE, ("create", SINGLE), NODES_ROLL
    ),
    "steady": Row(state(node=multi(), control_plane=plane()), "S9", Folder.FINAL, KEEP, APPLY_ALL),
    "z-stream upgrade, nodes": Row(
        state("4.14.20", node=multi(), control_plane=plane(), prepuller=prepuller("4.14.20")),
        "S9",
        Folder.FINAL,
        KEEP,
        [
            "create-only ovnkube-control-plane",
            "apply ovnkube-node",
            "remove pre-puller",
            "wait ovnkube-node",
        ],
    ),
    "z-stream upgrade, control plane": Row(
        state("4.14.20", node=multi("4.14.20"), control_plane=plane()),
        "S9",
        Folder.FINAL,
        KEEP,
        [*APPLY_ALL, "wait ovnkube-control-plane"],
    ),
    "z-stream downgrade": Row(
        state("4.14.14", node=multi("4.14.20"), control_plane=plane("4.14.20")),
        "S9",
        Folder.FINAL,
        KEEP,
        ["apply ovnkube-control-plane", "create-only ovnkube-node", "wait ovnkube-node"],
    ),
    "fast forward in phase 1": Row(
        state(node=single(updated=3), master=master(), config_map=FAST),
        "FF",
        Folder.FINAL,
        KEEP,
        [*APPLY_ALL, "wait ovnkube-node"],
    ),
    "fast forward with zone-mode singlezone": Row(
        state(node=node(), master=master(), config_map={**SINGLE, "fast-forward-to-multizone": "no"}),
        "FF",
        Folder.FINAL,
        KEEP,
        [*APPLY_ALL, "wait ovnkube-node"],
    ),
    "fast forward, the control plane is up": Row(
        state(node=multi(**ROLLING), master=master(), control_plane=plane(), config_map=FAST),
        "FF",
        Folder.FINAL,
        KEEP,
        [*APPLY_ALL, "remove ovnkube-master", "wait ovnkube-node"],
    ),
    "fast forward is complete": Row(
        state(node=multi(), control_plane=plane(), config_map=FAST),
        "S8",
        Folder.FINAL,
        ("delete", {}),
        [*APPLY_ALL, "annotate ovnkube-node"],
    ),
    "up to 4.14.13 fast forward has no effect": Row(
        state(EARLY, node=single(EARLY), master=master(), config_map={**EARLY_SINGLE, "fast-forward-to-multizone": ""}),
        "S3",
        Folder.SINGLE,
        KEEP,
        MASTERS_ROLL,
    ),
    "up to 4.14.13 phase 1 is skipped, phase 2 is not": Row(
        state(EARLY, node=single(EARLY, updated=3), master=master(), config_map=EARLY_MULTI),
        "S4",
        Folder.TEMPORARY,
        KEEP,
        NODES_GO_MULTIZONE,
    ),
    "up to 4.14.13 phase 1 is skipped, masters get interconnect after the nodes": Row(
        state(EARLY, node=multi(EARLY), master=master(), config_map=EARLY_MULTI),
        "S6",
        Folder.TEMPORARY,
        KEEP,
        ["apply ovnkube-control-plane", "apply ovnkube-master", "apply ovnkube-node", "wait ovnkube-master"],
    ),
    "from 4.14.14 the keys of the earlier override have no effect": Row(
        state(node=single(updated=3), master=master(), config_map=EARLY_MULTI), "S2", Folder.SINGLE, KEEP, NODES_ROLL
    ),
    "a request in capital letters": Row(
        state(node=multi(), master=master_ic(), config_map={"zone-mode": "MultiZone"}),
        "S6",
        Folder.TEMPORARY,
        KEEP,
        CONTROL_PLANE_ROLLS,
    ),
    "downgrade, masters first": Row(
        state(OLD, node=multi(), control_plane=plane()),
        "downgrade",
        Folder.LEGACY,
        KEEP,
        ["apply ovnkube-master", "create-only ovnkube-node", "wait ovnkube-master"],
    ),
    "downgrade, then nodes": Row(
        state(OLD, node=multi(), master=master(), control_plane=plane(), prepuller=prepuller(OLD)),
        "downgrade",
        Folder.LEGACY,
        KEEP,
        [
            "apply ovnkube-master",
            "apply ovnkube-node",
            "remove pre-puller",
            "wait ovnkube-control-plane",
        ],
    ),
    "downgrade, the control plane goes last": Row(
        state(OLD, node=node(), master=master(), control_plane=plane()),
        "downgrade",
        Folder.LEGACY,
        KEEP,
        ["apply ovnkube-master", "apply ovnkube-node", "remove ovnkube-control-plane", "wait ovnkube-control-plane"],
    ),
}
