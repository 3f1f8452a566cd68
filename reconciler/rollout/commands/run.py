"""`ovnguard-reconciler rollout run`: bring the cluster to a release, as the leader of several processes."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click

from ovnguard.reconciler.apply.objects.server_side_apply import Applier
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.loop_options import LoopOptions, with_loop_options
from ovnguard.reconciler.commands.mode_options import AUDIT, with_mode
from ovnguard.reconciler.commands.options import check_name
from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.lease import Elector, keep_elected, leading_of, process_identity
from ovnguard.reconciler.loop.process.lifecycle import keep, listen_to_signals
from ovnguard.reconciler.rollout.commands.manifest_options import loaded, with_manifests
from ovnguard.reconciler.rollout.commands.rollout_options import RolloutOptions, with_rollout
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.loop.rollout_controller import RolloutController, RolloutParts
from ovnguard.reconciler.rollout.loop.rollout_metrics import RolloutMetrics
from ovnguard.reconciler.rollout.loop.rollout_reader import RolloutTarget
from ovnguard.reconciler.rollout.loop.rollout_report import RolloutReport
from ovnguard.reconciler.rollout.loop.rollout_resources import WATCHED, watched_hosted
from ovnguard.reconciler.rollout.loop.step_executor import Appliers, StepExecutor
from ovnguard.reconciler.rollout.plan.other_writers import HEIR, is_operator_manager, is_set_by_code
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.commandline.program import Exit

LEASE: Final = "ovnguard-rollout"
FIELD_MANAGER: Final = "ovnguard-rollout"
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout run --release 4.14.20
  ovnguard-reconciler rollout run --release 4.14.20 --manifests 4.14 --values values.yaml --mode own
  ovnguard-reconciler rollout run --release 4.14.20 --manifests 4.14 --values values.yaml --mode own \\
      --hosted-namespace clusters-blue --management-kubeconfig ./management

\b
With --mode own it does what the cluster network operator does, and writes nothing while that one runs. Any number of
processes may run; only the holder of the Lease writes. Exit codes: 0 stopped, 2 wrong call, 3 an internal error.
"""

_log = logging.getLogger(__name__)


@click.command("run", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_rollout
@with_manifests
@click.option(
    "--namespace", default="ovnguard-system", show_default=True, help="Namespace of the Lease and of the report."
)
@with_mode
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(
    rollout: RolloutOptions, folder: ManifestFolder | None, namespace: str, mode: str, loop: LoopOptions
) -> int:
    """Bring OVN-Kubernetes to a release phase by phase, and report what it waits for.

    An audit, the default, computes the same, and writes nothing but Events about DaemonSet ovnkube-node.
    """
    target = rollout.target
    check_name(namespace, "namespace", "--namespace")
    manifests = _manifests(folder, target, mode)
    guest = loop.start()
    control = rollout.control(guest)
    wake, now = Debouncer(), partial(datetime.now, UTC)
    identity = process_identity()
    elector = None if mode == AUDIT else Elector(guest, identity, (namespace, LEASE), now)
    leading = leading_of(elector)
    informer = Informer(guest, WATCHED, wake.notify)
    appliers = Appliers(_applier(guest, leading), _applier(control, leading))
    listen_to_signals(wake)
    _log.info("%s: watching %s, release %s, mode %s", identity, guest.server, target.release, mode)
    with _hosted(control, target, wake) as hosted, loop.observed(guest, control) as (health, metrics):
        metrics.follow_lease(LEASE, elector)
        if hosted is not None:
            health.follow(hosted.failures)
        parts = RolloutParts(
            target,
            appliers.guest,
            appliers.control,
            informer.view,
            informer.view if hosted is None else hosted.view,
            EventRecorder(guest, identity, now),
            leading,
            metrics=RolloutMetrics(metrics.registry),
        )
        if elector is not None and manifests is not None:
            parts = replace(parts, executor=StepExecutor(appliers, manifests, target.hosted), memory=elector)
            parts = replace(parts, report=RolloutReport(guest, namespace, now))
        controller = RolloutController(parts)
        keep_it = partial(
            keep, informer=informer, wake=wake, resync=loop.resync, due=controller.due, health=health, metrics=metrics
        )
        keep_elected(partial(_tick, controller, hosted), elector, wake, keep_it)
    _log.info("%s: stopped", identity)
    return Exit.OK


def _manifests(folder: ManifestFolder | None, target: RolloutTarget, mode: str) -> PhaseManifests | None:
    if mode != AUDIT and folder is None:
        raise click.UsageError("--mode own needs --manifests: it writes what the operator would write")
    return None if folder is None else loaded(folder, target)


def _applier(client: KubernetesClient, leading: Callable[[], bool]) -> Applier:
    """Who writes in place of the operator."""
    return Applier(client, FIELD_MANAGER, leading, is_operator_manager, is_set_by_code, HEIR)


@contextmanager
def _hosted(control: KubernetesClient, target: RolloutTarget, wake: Debouncer) -> Iterator[Informer | None]:
    """Watch the control plane of a hosted cluster; None for others."""
    if not target.hosted:
        yield None
        return
    informer = Informer(control, watched_hosted(target.hosted), wake.notify)
    informer.start()
    try:
        yield informer
    finally:
        informer.stop(0.4)


def _tick(controller: RolloutController, hosted: Informer | None) -> tuple[str, ...]:
    dead = () if hosted is None else hosted.dead()
    if dead:
        raise RuntimeError(f"{', '.join(dead)} of the management cluster died")
    return controller.tick()
