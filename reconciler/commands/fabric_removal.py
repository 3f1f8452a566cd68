"""`cluster --remove-objects`: nothing that the leader published for routes stays."""

import logging

import click

from reconciler.apply.kube import FIELD_MANAGER
from reconciler.apply.objects.removal import Removal
from reconciler.loop.fabric.fabric_inputs import OBJECTS
from reconciler.loop.fabric.fabric_signs import ADVERTISED_MANAGER, TRANSPORT_MANAGER
from reconciler.loop.fabric.fabric_status import FABRIC_MANAGER
from reconciler.loop.inputs.plan_inputs import ADVERTISEMENTS
from reconciler.loop.process.lease import Elector
from validators.cluster.client_protocol import Client
from validators.cluster.resources import CUDNS, NADS
from validators.commandline.program import Exit
from validators.network.cluster.advertised_networks import NAMED_BY
from validators.network.cluster.route_advertisements import MANAGED_LABEL

_log = logging.getLogger(__name__)


def remove_published(client: Client, elector: Elector) -> int:
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
