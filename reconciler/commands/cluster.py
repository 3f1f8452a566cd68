"""`ovnguard-reconciler cluster`: the leader among several processes records what it allocates."""

import logging
import os
import socket
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click

from reconciler.apply.kube import Recorder
from reconciler.apply.kube_report import reports_in
from reconciler.commands.activity_options import ActivityOptions, with_activity
from reconciler.commands.fabric_options import FabricOptions, with_fabric
from reconciler.commands.fabric_removal import remove_published
from reconciler.commands.layer2_options import ON, with_layer2_legacy
from reconciler.commands.loop_options import LoopOptions, with_loop_options
from reconciler.commands.mode_options import AUDIT, check_mode, with_mode
from reconciler.loop.activity.activity_status import ActivityStatus
from reconciler.loop.activity.leader_activity import ACTIVITY_RESOURCES, LeaderActivity
from reconciler.loop.fabric.fabric_inputs import FABRIC_RESOURCES
from reconciler.loop.fabric.fabric_publisher import FabricParts, FabricPublisher
from reconciler.loop.inputs.plan_inputs import ADVERTISEMENTS, DECLARING_PARTS, DECLARING_RESOURCES
from reconciler.loop.leader.leader import DynamicAllocation, Leader, LeaderParts
from reconciler.loop.process.debounce import Debouncer
from reconciler.loop.process.events import EventRecorder
from reconciler.loop.process.lease import Elector, keep_elected
from reconciler.loop.process.lifecycle import judge_live, keep, listen_to_signals
from reconciler.loop.status.status_writer import StatusWriter
from validators.cluster.live_view import Informer
from validators.commandline.program import Exit
from validators.network.declared.node_values import valid_name

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


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
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
@with_fabric
@with_activity
@with_layer2_legacy
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(
    loop: LoopOptions,
    namespace: str,
    networks_only: bool,
    mode: str,
    fabric: FabricOptions,
    activity: ActivityOptions,
    layer2_legacy: str,
) -> int:
    """As the leader, record network ids, tunnel keys, transit subnets, node ids and host subnets; write conditions.

    An audit, the default, holds no Lease and writes only Events about networks that are not planned.
    """
    if not valid_name(namespace):
        raise click.BadParameter(f"{namespace!r} is not a valid namespace name", param_hint="--namespace")
    check_mode(mode, {"--networks-only": networks_only, **fabric.given})
    client = loop.start()
    wake = Debouncer()
    now = partial(datetime.now, UTC)
    identity = f"{socket.gethostname()}_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    elector = None if mode == AUDIT else Elector(client, identity, (namespace, LEASE), now)
    if fabric.remove and elector is not None:
        return remove_published(client, elector)
    followed = dict.fromkeys((*FABRIC_RESOURCES, *(ACTIVITY_RESOURCES if activity.dynamic else ())))
    informer = Informer(client, (*DECLARING_PARTS, reports_in(namespace), *followed), wake.notify)
    recorder = None if elector is None else Recorder(client, (*DECLARING_RESOURCES, ADVERTISEMENTS), now)
    announcer = EventRecorder(client, identity, now)
    reporter = StatusWriter(recorder, announcer)
    leading = _always if elector is None else elector.leading
    nodes, judged = not networks_only, judge_live(dynamic=activity.dynamic)
    parts = LeaderParts(informer.view, judged, recorder, reporter, leading, nodes, elector)
    # OVN-Kubernetes' cluster manager publishes the same
    if nodes:
        published = FabricParts(informer.view, client, recorder, announcer, leading, namespace, fabric.adopted)
        parts = replace(parts, fabric=FabricPublisher(published))
    listen_to_signals(wake)
    _log.info("%s: watching %s, mode %s", identity, client.server, mode)
    with loop.observed() as (health, metrics):
        parts = replace(parts, layer2_legacy=layer2_legacy == ON, metrics=metrics)
        if activity.dynamic:
            status = ActivityStatus(recorder, EventRecorder(client, identity, now), metrics)
            parts = replace(parts, dynamic=DynamicAllocation(LeaderActivity(informer.view, activity.grace), status))
        leader = Leader(parts)
        keep_it = partial(keep, informer=informer, wake=wake, resync=loop.resync, due=leader.due, health=health)
        if elector is None:
            keep_it(leader.tick)
        else:
            keep_elected(partial(_unless_lost, leader.tick, elector, wake), elector, wake, keep_it)
    _log.info("%s: stopped", identity)
    return Exit.INTERNAL if elector is not None and elector.lost else Exit.OK


def _unless_lost(tick: Callable[[], tuple[str, ...]], elector: Elector, wake: Debouncer) -> tuple[str, ...]:
    """Tick, or end once another process has taken the Lease over: what this one knows may be as old as its renewal."""
    if not elector.lost:
        return tick()
    _log.warning("another process has taken the Lease over: this one ends")
    wake.stop()
    return ()


def _always() -> bool:
    """Who writes nothing need not be elected."""
    return True
