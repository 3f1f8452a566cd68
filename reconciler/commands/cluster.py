"""`ovnguard-reconciler cluster`: the leader among several processes records what it allocates."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Recorder
from ovnguard.reconciler.apply.kube_report import reports_in
from ovnguard.reconciler.apply.objects.attachment_writer import AttachmentWriter
from ovnguard.reconciler.apply.objects.removal import Removal
from ovnguard.reconciler.apply.pod_records import PodRecords
from ovnguard.reconciler.commands.activity_options import ActivityOptions, with_activity
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.loop_options import LoopOptions, with_layer2_legacy, with_loop_options
from ovnguard.reconciler.commands.mode_options import AUDIT, check_mode, with_mode, with_unenforced
from ovnguard.reconciler.commands.options import check_name, option_group
from ovnguard.reconciler.loop.activity.activity_metrics import ActiveNodesMetric
from ovnguard.reconciler.loop.activity.activity_status import ActivityStatus
from ovnguard.reconciler.loop.activity.leader_activity import ACTIVITY_RESOURCES, LeaderActivity
from ovnguard.reconciler.loop.fabric.fabric_inputs import FABRIC_RESOURCES, OBJECTS
from ovnguard.reconciler.loop.fabric.fabric_publisher import FabricParts, FabricPublisher
from ovnguard.reconciler.loop.fabric.fabric_signs import ADVERTISED_MANAGER, TRANSPORT_MANAGER
from ovnguard.reconciler.loop.fabric.fabric_status import FABRIC_MANAGER
from ovnguard.reconciler.loop.inputs.plan_inputs import ADVERTISEMENTS, DECLARING_PARTS, DECLARING_RESOURCES
from ovnguard.reconciler.loop.inputs.policy_resources import POLICY_RESOURCES
from ovnguard.reconciler.loop.leader.address_publisher import AddressPublisher
from ovnguard.reconciler.loop.leader.attachment_publisher import (
    ATTACHMENT_RESOURCES,
    AttachmentParts,
    AttachmentPublisher,
)
from ovnguard.reconciler.loop.leader.leader import DynamicAllocation, Leader, LeaderParts
from ovnguard.reconciler.loop.leader.leader_metrics import LeaderMetrics
from ovnguard.reconciler.loop.leader.publisher import Publisher
from ovnguard.reconciler.loop.pods.pod_addresser import AddresserParts, PodAddresser
from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.lease import Elector, keep_elected, leading_of, process_identity
from ovnguard.reconciler.loop.process.lifecycle import judge_live, keep, listen_to_signals
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.plan.inputs.unenforced import OPTION
from ovnguard.reconciler.plan.pods.missing_entries import is_of_leader
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.cluster.resources import CUDNS, NADS, Part, Resource
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.cluster.advertised_networks import NAMED_BY
from ovnguard.validators.network.cluster.route_advertisements import MANAGED_LABEL

LEASE: Final = "ovnguard-reconciler-cluster"
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler cluster --kubeconfig ./kubeconfig
  ovnguard-reconciler cluster --mode own --namespace default --log-format json

\b
With --mode own it writes the Node annotations of OVN-Kubernetes' cluster manager: next to it, use --networks-only. Any
number of processes may run; only the holder of the Lease writes. Exit codes: 0 stopped, 2 wrong call, 3 an internal
error, or another process has taken the Lease over. With --remove-objects: 0 nothing is left, 2 another process leads, 3
something is left.
"""

_log = logging.getLogger(__name__)
_now: Final = partial(datetime.now, UTC)


@dataclass(frozen=True, slots=True)
class _Options:
    """What the leader writes: ``adopt`` are networks whose objects of OVN-Kubernetes' cluster manager are replaced."""

    namespace: str
    networks_only: bool
    mode: str
    adopt: tuple[str, ...]
    remove_objects: bool
    unenforced: bool
    activity: ActivityOptions
    layer2_legacy: bool

    @property
    def attaches(self) -> bool:
        """Whether it renders attachments, as OVN-Kubernetes' cluster manager does."""
        return self.mode != AUDIT and not self.networks_only

    def check(self) -> None:
        """Raise click.UsageError for an invalid namespace, and for a writer's option that is given to an audit."""
        check_name(self.namespace, "namespace", "--namespace")
        writing = {"--networks-only": self.networks_only, "--adopt": self.adopt}
        check_mode(self.mode, {**writing, "--remove-objects": self.remove_objects, OPTION: self.unenforced})


@click.command(cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--namespace",
    default="ovnguard-system",
    show_default=True,
    help="Namespace of the Lease and of the zones' reports.",
)
@click.option(
    "--networks-only", is_flag=True, help="Write nothing on Nodes: where OVN-Kubernetes' cluster manager allocates."
)
@with_mode
@click.option(
    "--adopt",
    multiple=True,
    metavar="NETWORK",
    help="Replace objects of OVN-Kubernetes' cluster manager for routes of this network. Repeatable.",
)
@with_unenforced
@click.option("--remove-objects", is_flag=True, help="Remove what this command published for routes, and end.")
@with_activity
@with_layer2_legacy
@option_group("options", _Options)
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(loop: LoopOptions, options: _Options) -> int:
    """As the leader, record network ids, tunnel keys, transit subnets, node ids and host subnets; write conditions.

    An audit, the default, holds no Lease and writes only Events about networks that are not planned.
    """
    options.check()
    client = loop.start()
    wake = Debouncer()
    identity = process_identity()
    elector = None if options.mode == AUDIT else Elector(client, identity, (options.namespace, LEASE), _now)
    if options.remove_objects and elector is not None:
        return _remove_published(client, elector)
    followed = _followed(options)
    informer = Informer(client, (*DECLARING_PARTS, reports_in(options.namespace), *followed), wake.notify)
    listen_to_signals(wake)
    _log.info("%s: watching %s, mode %s", identity, client.server, options.mode)
    with loop.observed(client) as (health, metrics):
        metrics.follow_lease(LEASE, elector)
        leader = Leader(_parts(options, client, informer, identity, elector, metrics))
        keep_it = partial(
            keep, informer=informer, wake=wake, resync=loop.resync, due=leader.due, health=health, metrics=metrics
        )
        tick = leader.tick if elector is None else partial(_unless_lost, leader.tick, elector, wake)
        keep_elected(tick, elector, wake, keep_it)
    _log.info("%s: stopped", identity)
    return Exit.INTERNAL if elector is not None and elector.lost else Exit.OK


def _followed(options: _Options) -> tuple[tuple[Resource, Part], ...]:
    """What the leader watches besides networks and nodes: each resource once, with all that is read of it."""
    attaches = ATTACHMENT_RESOURCES if options.attaches else ()
    activity = ACTIVITY_RESOURCES if options.activity.dynamic else ()
    whole = {resource for resource, _ in attaches}
    policies = () if options.mode == AUDIT else POLICY_RESOURCES
    others = (each for each in (*FABRIC_RESOURCES, *activity, *policies) if each[0] not in whole)
    return tuple(dict.fromkeys((*attaches, *others)))


def _parts(
    options: _Options,
    client: KubernetesClient,
    informer: Informer,
    identity: str,
    elector: Elector | None,
    metrics: Metrics,
) -> LeaderParts:
    recorder = None if elector is None else Recorder(client, (*DECLARING_RESOURCES, ADVERTISEMENTS), _now)
    announcer, leading = EventRecorder(client, identity, _now), leading_of(elector)
    view, adopted = informer.view, frozenset(options.adopt)
    publishers: list[Publisher] = []
    # OVN-Kubernetes' cluster manager publishes the same
    if not options.networks_only:
        published = FabricParts(view, client, recorder, announcer, leading, options.namespace, adopted)
        publishers.append(FabricPublisher(published))
    if options.attaches and recorder is not None:
        writer = AttachmentWriter(client, recorder)
        publishers.append(AttachmentPublisher(AttachmentParts(view, writer, announcer, leading, adopted)))
        records = PodRecords(client, leading)
        addresser = PodAddresser(AddresserParts(records, announcer, is_of_leader, is_of_leader))
        publishers.append(AddressPublisher(view, records, addresser))
    activity = LeaderActivity(view, options.activity.grace) if options.activity.dynamic else None
    counts = ActiveNodesMetric(metrics.registry if options.activity.dynamic else None)
    status = ActivityStatus(recorder, EventRecorder(client, identity, _now), counts)
    return LeaderParts(
        view,
        judge_live(dynamic=options.activity.dynamic),
        recorder,
        StatusWriter(recorder, announcer),
        leading,
        nodes=not options.networks_only,
        memory=elector,
        dynamic=DynamicAllocation(activity, status),
        layer2_legacy=options.layer2_legacy,
        metrics=LeaderMetrics(metrics.registry),
        publishers=publishers,
        unenforced=options.unenforced,
    )


def _remove_published(client: KubernetesClient, elector: Elector) -> int:
    """Remove what the leader publishes and return the exit code; raise click.UsageError while another one leads."""
    elector.step()
    if not elector.leading():
        raise click.UsageError("--remove-objects: another process leads and would publish everything again: stop it")
    removal = Removal(client)
    for resource in (*OBJECTS, NADS):
        removal.objects(resource)
    removal.entry(CUDNS, "labels", MANAGED_LABEL, FIELD_MANAGER)
    removal.entry(NADS, "annotations", NAMED_BY, FIELD_MANAGER)
    removal.status(CUDNS, (TRANSPORT_MANAGER, FABRIC_MANAGER))
    removal.status(ADVERTISEMENTS, (ADVERTISED_MANAGER,))
    for text in removal.failures:
        _log.error("%s", text)
    elector.release()
    return Exit.INTERNAL if removal.failures else Exit.OK


def _unless_lost(tick: Callable[[], tuple[str, ...]], elector: Elector, wake: Debouncer) -> tuple[str, ...]:
    """Tick, or end once another process has taken the Lease over: what this one knows may be as old as its renewal."""
    if not elector.lost:
        return tick()
    _log.warning("another process has taken the Lease over: this one ends")
    wake.stop()
    return ()
