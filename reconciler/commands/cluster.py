"""`ovnguard-reconciler cluster`: the leader among several processes records what it allocates."""

import logging
import os
import socket
import threading
import uuid
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click

from reconciler.apply.kube import Recorder
from reconciler.commands.loop_options import LoopOptions, with_loop_options
from reconciler.loop.debounce import Debouncer
from reconciler.loop.events import EventRecorder
from reconciler.loop.leader import Leader, LeaderParts
from reconciler.loop.lease import RETRY, Elector
from reconciler.loop.plan_inputs import DECLARING_RESOURCES
from reconciler.loop.process import judge_live, keep, listen_to_signals
from reconciler.loop.status_writer import StatusWriter
from validators.cluster.live_view import Informer
from validators.commandline.program import Exit
from validators.network.declared.node_values import valid_name

LEASE: Final = "ovnguard-reconciler-cluster"
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler cluster
  ovnguard-reconciler cluster --kubeconfig ./kubeconfig --lease-namespace default --log-format json

\b
It writes the Node annotations of OVN-Kubernetes' cluster manager: next to it, use --networks-only. Any
number of processes may run; only the holder of the Lease writes. Exit codes: 0 stopped, 2 wrong call, 3 an internal
error.
"""

_log = logging.getLogger(__name__)


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--lease-namespace", default="ovnguard-system", show_default=True, help="Namespace of the Lease.")
@click.option(
    "--networks-only", is_flag=True, help="Write nothing on Nodes: where OVN-Kubernetes' cluster manager allocates."
)
@with_loop_options
def command(
    loop: LoopOptions,
    lease_namespace: str,
    networks_only: bool,
) -> int:
    """As the leader, record network ids, tunnel keys, transit subnets, node ids and host subnets; write conditions."""
    if not valid_name(lease_namespace):
        raise click.BadParameter(f"{lease_namespace!r} is not a valid namespace name", param_hint="--lease-namespace")
    client = loop.start()
    wake, stop = Debouncer(), threading.Event()
    now = partial(datetime.now, UTC)
    identity = f"{socket.gethostname()}_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    elector = Elector(client, identity, (lease_namespace, LEASE), now)
    informer = Informer(client, DECLARING_RESOURCES, wake.notify)
    recorder = Recorder(client, DECLARING_RESOURCES, now)
    reporter = StatusWriter(recorder, EventRecorder(client, identity, now))
    leader = Leader(
        LeaderParts(informer.view, judge_live(), recorder, reporter, elector.leading, nodes=not networks_only)
    )

    def tick() -> tuple[str, ...]:
        if not thread.is_alive():
            raise RuntimeError(f"{thread.name} died")
        return leader.tick()

    listen_to_signals(wake)
    _log.info("%s: watching %s", identity, client.server)
    # A slow tick must not delay the renewal, and a hanging request must not keep the process alive: hence a daemon
    # thread.
    thread = threading.Thread(target=_elect, args=(elector, wake, stop), name="election", daemon=True)
    thread.start()
    try:
        between = keep(tick, informer, wake, loop.resync)
    finally:
        stop.set()
    thread.join(0.4)
    if between and not thread.is_alive():
        elector.release()
    _log.info("%s: stopped", identity)
    return Exit.OK


def _elect(elector: Elector, wake: Debouncer, stop: threading.Event) -> None:
    """Keep trying to lead; wake the loop when leadership changes."""
    while not stop.is_set():
        before = elector.leading()
        elector.step()
        if elector.leading() is not before:
            wake.notify()
        stop.wait(RETRY)
