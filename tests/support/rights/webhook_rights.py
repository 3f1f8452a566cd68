"""What the webhook and the process next to it may do."""

from collections.abc import Iterator

from ovnguard.validators.cluster.resources import CONFIG_MAPS, CUDNS, NADS, OPERATOR_NETWORKS, UDNS
from ovnguard.validators.cluster.watched_kinds import WATCHED, definitions
from ovnguard.webhook.commands.client_networks import PUBLISHED, SLICES
from tests.support.rights.model import BASE, CONSTRAINTS, OURS, Grant, Mount, Right

WEBHOOK, BUNDLER = "ovnguard-webhook", "ovnguard-ca-bundle"
BREAK_GLASS, EVERYBODY = "group ovnguard:break-glass", "group system:authenticated"
AUTHORITY = "ovnguard-authority"
CERT_MANAGER = ("cert-manager",)
REGISTRATIONS = tuple(
    f"admissionregistration.k8s.io/{each}webhookconfigurations" for each in ("validating", "mutating")
)


def rights() -> Iterator[Right]:
    """Rights of the webhook, of the process that writes caBundle, and of people."""
    watching = Grant(WEBHOOK, BASE, "validators/cluster/watched_kinds.py")
    yield from watching.watch((*(each for each in WATCHED if not each[1].namespace), *definitions()))
    openshift = watching._replace(component="openshift-access")
    yield from openshift.watch(each for each in WATCHED if each[1].namespace)
    yield from watching._replace(asker="webhook/commands/client_networks.py").watch([(SLICES, PUBLISHED)])
    keeping = Grant(WEBHOOK, BASE, "webhook/certificates/authority_secret.py", without=CERT_MANAGER)
    yield from keeping.of("get update", "secrets", AUTHORITY, OURS)
    publishing = keeping._replace(asker="webhook/certificates/registered_bundle.py")
    yield from publishing.of("get patch", CONFIG_MAPS, AUTHORITY, OURS)
    bundling = publishing._replace(subject=BUNDLER)
    for each in REGISTRATIONS:
        yield from publishing.of("get", each, "ovnguard")
        yield from bundling.of("get patch", each, "ovnguard")
    # the process that writes caBundle has this right as everybody else
    yield from publishing._replace(subject=EVERYBODY).of("get", CONFIG_MAPS, AUTHORITY, OURS)
    yield from _people()
    scc = Grant(WEBHOOK, "openshift-access", "OpenShift, which admits Pods on the host network", "no process asks")
    yield from scc.of("use", CONSTRAINTS, "hostnetwork-v2", OURS)


def _people() -> Iterator[Right]:
    """Who may impersonate the group writes networks without the webhook."""
    glass = Grant(BREAK_GLASS, BASE, "people in an emergency", "no process asks")
    verbs = "get list create update patch delete"
    for resource in (OPERATOR_NETWORKS, CUDNS, UDNS, "k8s.ovn.org/routeadvertisements", NADS):
        yield from glass.of(verbs, resource)


def mounts() -> Iterator[Mount]:
    """Mounts of the webhook; the process that writes caBundle has none."""
    scratch = "webhook/private_tempdir.py"
    yield Mount(WEBHOOK, BASE, "/tmp", "emptyDir", "", True, ("/tmp",), scratch)
    clients = ("/metrics-clients/ca.crt",)
    named = "configMap ovnguard-metrics-clients"
    yield Mount(WEBHOOK, "monitoring", "/metrics-clients", named, "", False, clients, "webhook/cli.py")
    pair = ("/tls/tls.crt", "/tls/tls.key")
    yield Mount(WEBHOOK, "cert-manager", "/tls", "secret ovnguard-webhook-tls", "", False, pair, "webhook/cli.py")
