"""A bounded cluster in an interconnect upgrade: its state, and how the decision function sees it.

Three nodes, each with the template that its pod runs; three masters; two replicas of the control plane. States are
values, and nodes are sorted: permutations of nodes are one state.
"""

from functools import cache
from typing import NamedTuple

from ovnguard.reconciler.rollout.plan.model import Flavour, Observed, Route
from ovnguard.validators.network.cluster.release import Release, release_of
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE, RELEASE_LINE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import MULTI_ZONE, SINGLE_ZONE, Workload

NODES, MASTERS, REPLICAS = 3, 3, 2
# templates of ovnkube-node, in the order of their interconnect; '' is a node without a pod
NONE, OLD, SINGLE, MULTI = "", "old", "single", "multi"
READY, STARTING, LOST = "ready", "starting", "lost"
OLD_VERSION = "4.13.40"
# what accompanies the workloads: objects of their own, and the annotation that ends an upgrade
SERVICE, MASTER_MONITOR, PLANE_MONITOR, DONE = (
    "databases' Service",
    "master monitor",
    "plane monitor",
    "done",
)
OF_MASTERS, OF_PLANE = (SERVICE, MASTER_MONITOR), (PLANE_MONITOR,)


class Node(NamedTuple):
    """A node: the template of its pod, whether it works, and whether a hung rollout went on without it."""

    template: str
    health: str = READY
    excused: bool = False


class Master(NamedTuple):
    """ovnkube-master: ``interconnect`` of its template, how many pods have it, whether one is not ready."""

    interconnect: bool
    observed: bool = True
    updated: int = MASTERS
    restarting: bool = False


class Plane(NamedTuple):
    """ovnkube-control-plane: ready replicas, and whether all of them have ever been ready."""

    ready: int
    rolled_out: bool


class Write(NamedTuple):
    """A write that changes something: of the ConfigMap, a workload or the route."""

    what: str
    value: str = ""
    data: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, (self.what, self.value, ", ".join(f"{k}={v!r}" for k, v in self.data))))


class State(NamedTuple):
    """Everything that a transition depends on.

    ``before`` is the previous template of the nodes until the DaemonSet controller has observed the current one.
    ``override``: which phases an accepted request of the administrator skips. ``others``: what accompanies workloads,
    sorted. ``todo``: writes that the controller has decided, but not done.
    """

    template: str
    nodes: tuple[Node, ...]
    master: Master | None
    plane: Plane | None = None
    data: tuple[tuple[str, str], ...] | None = None
    before: str | None = None
    hung: bool = False
    prepuller: str = ""
    route: str = ""
    override: str = ""
    others: tuple[str, ...] = ()
    todo: tuple[Write, ...] = ()


class Template(NamedTuple):
    """What a pod template shows: its interconnect, its zones, and whether a probe asks when its pods are ready."""

    kind: str
    interconnect: bool
    zone_mode: str
    probed: bool = True


class Templates(NamedTuple):
    """The templates of the nodes and of the masters by name, and that of the control plane."""

    nodes: tuple[tuple[str, Template], ...]
    masters: tuple[tuple[str, Template], ...]
    plane: Template

    def node(self, name: str) -> Template:
        return dict(self.nodes)[name]

    def master(self, *, interconnect: bool) -> Template:
        return dict(self.masters)[SINGLE if interconnect else OLD]


def _assumed(masters: str) -> Templates:
    """The templates as the decision takes them to be."""
    nodes = {OLD: (False, SINGLE_ZONE), SINGLE: (True, SINGLE_ZONE), MULTI: (True, MULTI_ZONE)}
    return Templates(
        tuple((name, Template("DaemonSet", *each)) for name, each in nodes.items()),
        tuple((name, Template(masters, *nodes[name])) for name in (OLD, SINGLE)),
        Template("Deployment", True, MULTI_ZONE, probed=False),
    )


ASSUMED = {Flavour.SELF_HOSTED: _assumed("DaemonSet"), Flavour.MANAGED: _assumed("StatefulSet")}


class Setting(NamedTuple):
    """What stays the same in a run. ``lost``: how many nodes may be down at a time; ``flaps``: pods may restart;
    ``edits``: what administrators try to write to the ConfigMap (None: delete it); ``templates``: those of manifests,
    None for the assumed ones.
    """

    release: str = "4.14.14"
    flavour: Flavour = Flavour.SELF_HOSTED
    lost: int = 1
    flaps: bool = True
    edits: tuple[tuple[tuple[str, str], ...] | None, ...] = ()
    templates: Templates | None = None

    @property
    def known(self) -> Templates:
        """The templates."""
        return self.templates or ASSUMED[self.flavour]

    @property
    def target(self) -> Release:
        """The parsed release."""
        return _parsed(self.release)

    @property
    def upgrades(self) -> bool:
        """Whether the release has interconnect."""
        return self.target.line >= RELEASE_LINE


@cache
def _parsed(release: str) -> Release:
    found = release_of(release)
    assert found is not None
    return found


def before_upgrade(setting: Setting) -> State:
    """A cluster of 4.13."""
    route = "host" if setting.flavour is Flavour.MANAGED else ""
    return State(OLD, (Node(OLD),) * NODES, Master(interconnect=False), route=route, others=OF_MASTERS)


def before_install(_: Setting) -> State:
    """A cluster without networking."""
    return State(NONE, (Node(NONE),) * NODES, None)


def after_upgrade(_: Setting) -> State:
    """A cluster with one zone per node."""
    return State(MULTI, (Node(MULTI),) * NODES, None, Plane(REPLICAS, rolled_out=True), others=OF_PLANE)


class Seen(NamedTuple):
    """The part of a state that decisions depend on."""

    template: str
    before: str | None
    updated: int
    available: int
    hung: bool
    master: Master | None
    plane: Plane | None
    data: tuple[tuple[str, str], ...] | None
    prepuller: str
    route: str
    others: tuple[str, ...]


def seen(state: State) -> Seen:
    """What the API shows: counters of an unobserved template are those of the previous one."""
    counted = state.template if state.before is None else state.before
    return Seen(
        state.template,
        state.before,
        sum(each.template == counted for each in state.nodes),
        sum(each.health == READY for each in state.nodes),
        state.hung,
        state.master,
        state.plane,
        state.data,
        state.prepuller,
        state.route,
        state.others,
    )


def observed(view: Seen, setting: Setting) -> Observed:
    """Return what the decision function gets."""
    return Observed(
        setting.target,
        setting.flavour,
        node=_node(view, setting),
        master=_master(view, setting),
        control_plane=_plane(view, setting),
        prepuller=_prepuller(view, setting),
        config_map=None if view.data is None else dict(view.data),
        route=Route(bool(view.route), "host" if view.route == "host" else ""),
        master_addresses=MASTERS,
    )


def _version(setting: Setting, *, old: bool) -> str:
    if old:
        return OLD_VERSION
    return setting.release if setting.upgrades else "4.14.14"


def _node(view: Seen, setting: Setting) -> Workload | None:
    if view.template == NONE:
        return None
    template = setting.known.node(view.template)
    return Workload(
        template.kind,
        NAMESPACE,
        "ovnkube-node",
        _version(setting, old=view.template == OLD),
        template.interconnect,
        template.zone_mode,
        NODES,
        view.updated,
        view.available,
        NODES - view.available,
        2,
        2 if view.before is None else 1,
        view.hung,
    )


def _master(view: Seen, setting: Setting) -> Workload | None:
    master = view.master
    if master is None:
        return None
    template = setting.known.master(interconnect=master.interconnect)
    return Workload(
        template.kind,
        NAMESPACE,
        "ovnkube-master",
        _version(setting, old=not master.interconnect),
        template.interconnect,
        template.zone_mode,
        MASTERS,
        master.updated if master.observed else MASTERS,
        MASTERS - master.restarting,
        int(master.restarting),
        2,
        2 if master.observed else 1,
    )


def _plane(view: Seen, setting: Setting) -> Workload | None:
    plane = view.plane
    if plane is None:
        return None
    version = _version(setting, old=False)
    ready = plane.ready
    template = setting.known.plane
    return Workload(
        template.kind,
        NAMESPACE,
        "ovnkube-control-plane",
        version,
        template.interconnect,
        template.zone_mode,
        REPLICAS,
        REPLICAS,
        ready,
        REPLICAS - ready,
        1,
        1,
    )


def _prepuller(view: Seen, setting: Setting) -> Workload | None:
    if not view.prepuller:
        return None
    ready = NODES if view.prepuller == "done" else 0
    kind, name = "DaemonSet", "ovnkube-upgrades-prepuller"
    return Workload(kind, NAMESPACE, name, setting.release, desired=NODES, updated=ready, available=ready)
