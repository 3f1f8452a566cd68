"""Who deletes what when a cluster with user-managed DNS goes.

Source: OpenShift enhancement "BYO custom DNS", 'Workflow Description': the cluster deletes the load balancer of its
ingress alone. In the released API the installer deletes what it created, too.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.records import owed_records
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.ovnkube_settings.install_dns import has_network, load_balancers
from ovnguard.validators.network.parse_values import mapping

INSTALLER: Final = "openshift-install destroy cluster"
USER: Final = "user"
_NODES: Final = "with the nodes"


class Deletion(NamedTuple):
    """One resource and who deletes it: the installer's command, or the user."""

    resource: str
    by: str


def deletions(observed: Observed) -> tuple[Deletion, ...]:
    """Return the checklist, in the order in which resources may go; empty where the platform manages DNS."""
    dialect = observed.dialect
    return () if dialect is None else tuple(_deletions(observed, dialect))


def _deletions(observed: Observed, dialect: Dialect) -> Iterator[Deletion]:
    target = observed.target
    shown = ", ".join((*target.hostnames, *map(str, target.addresses)))
    yield Deletion(f"load balancer of *.apps{f' ({shown})' if shown else ''}", INSTALLER)
    config: JsonObject = observed.install_config or {}
    named = load_balancers(config) if dialect is Dialect.PROPOSED else None
    names = {"api": named.api if named else "", "api-int": named.api_int if named else ""}
    by = USER if dialect is Dialect.PROPOSED else INSTALLER
    for name, own in names.items():
        if named is None or own:
            yield Deletion(f"load balancer of {name}{f' ({own})' if own else ''}", by)
    yield Deletion("CoreDNS on the nodes (static pod coredns)", _NODES)
    for record in owed_records(observed):
        value = f" {record.value}" if record.value else ""
        yield Deletion(f"DNS record {record.name} {record.type}{value}", USER)
    if mapping(config, "platform"):
        is_users = dialect is Dialect.PROPOSED or has_network(config)
        yield Deletion("VPC and subnets", USER if is_users else INSTALLER)
    elif dialect is Dialect.PROPOSED:
        yield Deletion("VPC and subnets", USER)
    else:
        yield Deletion("VPC and subnets", f"{INSTALLER}; user, if install-config.yaml names subnets")
