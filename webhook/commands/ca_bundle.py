"""``ovnguard-webhook ca-bundle``: keeps the caBundle of both registrations equal to the published authority."""

import logging
import logging.config
import signal
import threading
from pathlib import Path
from typing import Final

import click

from ovnguard.validators.cluster.client_protocol import Client, ClusterError
from ovnguard.webhook.certificates.registered_bundle import Registered, published_bundle
from ovnguard.webhook.commands.cluster_view import client_factory
from ovnguard.webhook.commands.served_certificate import namespaced
from ovnguard.webhook.observability.logging_config import logging_config

log = logging.getLogger("ovnguard.authority")
ROUND_SECONDS: Final = 5.0
"""Seconds between reads: the webhook waits that long for its first request, and longer for nothing."""


def run(authority: str, service: str, registration: str, kubeconfig: Path | None, *, in_cluster: bool) -> None:
    """Follow the ConfigMap until a signal stops the process."""
    if in_cluster == (kubeconfig is not None):
        raise click.UsageError("Give one of --kubeconfig and --in-cluster.")
    place, registered = namespaced("--authority", authority), Registered(namespaced("--service", service), registration)
    client = client_factory(kubeconfig, in_cluster)()
    logging.config.dictConfig(logging_config())
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    log.info("following the authority", extra={"fields": {"configmap": authority}})
    while not stop.is_set():
        follow(client, place, registered)
        stop.wait(ROUND_SECONDS)


def follow(client: Client, place: tuple[str, str], registered: Registered) -> None:
    """Write the published bundle once; a failure is logged, and the next round tries again."""
    try:
        bundle = published_bundle(client, place)
        if bundle is not None:
            registered.write(client, bundle)
    except ClusterError as error:
        log.error("the caBundle cannot be written: %s", error)
