"""The installation of a cluster with user-managed DNS: which step is next, and who takes it.

Source: OpenShift enhancement "BYO custom DNS", 'Workflow Description'; for the released API the installer,
machine-config-operator and cluster-ingress-operator as they shipped.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.problems import Problem, Reason, shown
from ovnguard.reconciler.dns.plan.records import Record, RecordState, When, owed_records
from ovnguard.reconciler.dns.plan.served_names import APPS, Dialect
from ovnguard.reconciler.dns.plan.static_pod import LABELS, NAMESPACE
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.cluster_dns import zones
from ovnguard.validators.network.ovnkube_settings.cluster_hosted import INGRESS_IPS
from ovnguard.validators.network.ovnkube_settings.install_dns import user_keeps_names
from ovnguard.validators.network.parse_values import dig, mapping, text_of


class State(StrEnum):
    """Where the installation is. ``PLATFORM_DNS``: the cluster uses the DNS of its platform."""

    PLATFORM_DNS = "PlatformDNS"
    FAILED = "Failed"
    PREREQUISITES = "Prerequisites"
    USER_DNS = "UserDNS"
    CONFIG = "Config"
    VALIDATE = "Validate"
    MANIFESTS = "Manifests"
    INGRESS_PENDING = "IngressPending"
    LOAD_BALANCER_KNOWN = "LoadBalancerKnown"
    COREDNS = "CoreDNS"
    INSTALL_COMPLETE = "InstallComplete"
    USER_APPS = "UserApps"
    STEADY = "Steady"


class Actor(StrEnum):
    """Who takes a step."""

    USER = "user"
    INSTALLER = "installer"
    INGRESS_OPERATOR = "ingress operator"
    MACHINE_CONFIG_OPERATOR = "machine-config operator"
    MONITOR = "monitor on the nodes"
    CLUSTER = "cluster"


class Step(NamedTuple):
    """What ``actor`` does before the installation leaves ``state``."""

    state: State
    actor: Actor
    text: str


class Workflow(NamedTuple):
    """The state, the steps that are still to be taken in order, the records of the user, and what is wrong."""

    state: State
    owed: tuple[Step, ...] = ()
    records: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def owed_records(self) -> tuple[Record, ...]:
        """The records that the user still has to create or correct."""
        return tuple(record for record in self.records if record.state.is_owed)


_SHARED: Final = (
    Step(State.VALIDATE, Actor.INSTALLER, "check install-config.yaml; names that do not resolve are a warning"),
    Step(
        State.MANIFESTS, Actor.INSTALLER, "write Infrastructure and DNS without zones, and nothing to the cloud's DNS"
    ),
    Step(State.INGRESS_PENDING, Actor.INGRESS_OPERATOR, "create Service openshift-ingress/router-default"),
)
_USER_APPS: Final = Step(State.USER_APPS, Actor.USER, "create the record of *.apps in your own DNS")
_INSTALL: Final = Step(State.INSTALL_COMPLETE, Actor.CLUSTER, "complete the installation; operators use *.apps")
_COREDNS: Final = Step(State.COREDNS, Actor.MACHINE_CONFIG_OPERATOR, "run the static pod of CoreDNS on every node")
STEPS: Final = {
    Dialect.PROPOSED: (
        Step(State.PREREQUISITES, Actor.USER, "create the VPC, its subnets, and load balancers for api and api-int"),
        Step(State.USER_DNS, Actor.USER, "create the records of api and api-int in your own DNS"),
        Step(State.CONFIG, Actor.USER, "set userDNS: Enabled and the names of the load balancers"),
        *_SHARED,
        Step(State.LOAD_BALANCER_KNOWN, Actor.MONITOR, "resolve the host name of the load balancer of *.apps"),
        _COREDNS,
        _INSTALL,
        _USER_APPS,
        Step(State.STEADY, Actor.MONITOR, "follow the load balancer: rewrite the Corefile when its addresses change"),
    ),
    Dialect.RELEASED: (
        Step(State.CONFIG, Actor.USER, "set userProvisionedDNS: Enabled"),
        *_SHARED,
        Step(
            State.LOAD_BALANCER_KNOWN,
            Actor.INGRESS_OPERATOR,
            "write the addresses of the load balancer to ingressLoadBalancerIPs of the Infrastructure",
        ),
        _COREDNS,
        _INSTALL,
        _USER_APPS._replace(text="create the records of api, api-int and *.apps in your own DNS"),
        Step(
            State.STEADY,
            Actor.INGRESS_OPERATOR,
            "follow the load balancer: update ingressLoadBalancerIPs when its addresses change",
        ),
    ),
}
"""The steps of both APIs, in order."""


def workflow(observed: Observed) -> Workflow:
    """Return where the installation is, and who has to do what next."""
    state = _state(observed)
    if state in {State.PLATFORM_DNS, State.FAILED} or (dialect := observed.dialect) is None:
        steps = STEPS[Dialect.PROPOSED] if state is State.PREREQUISITES else ()
        return Workflow(state, steps, (), tuple(_problems(observed, ())))
    steps = STEPS[dialect]
    first = next(index for index, step in enumerate(steps) if step.state is state)
    records = owed_records(observed)
    # an install configuration with the choice has been written, even if records that should come first are missing
    owed = tuple(step for step in steps[first:] if step.state is not State.CONFIG)
    return Workflow(state, owed, records, tuple(_problems(observed, records)))


def ingress_addresses(observed: Observed) -> tuple[IPAddress, ...]:
    """Return the addresses that CoreDNS answers ``*.apps`` with, as far as they are known.

    Proposed API: those of the Service, names resolved. Released API: those that the Infrastructure lists.
    """
    if observed.dialect is Dialect.RELEASED:
        return observed.hosted("ingress").addresses
    target = observed.target
    return target.addresses or observed.lookups(target.hostnames).addresses


def _state(observed: Observed) -> State:
    if observed.refusals:
        return State.FAILED
    if observed.infrastructure is None and observed.install_config is None:
        return State.PREREQUISITES
    if observed.dialect is None:
        return State.PLATFORM_DNS
    if observed.infrastructure is None:
        return _before_installation(observed)
    if observed.dns is None:
        return State.MANIFESTS
    return _during_installation(observed)


def _before_installation(observed: Observed) -> State:
    """The installer continues without the records of the API server; in the proposed API they are owed first."""
    missing = [each for each in owed_records(observed) if each.state is RecordState.MISSING and _is_api(each)]
    return State.USER_DNS if missing and observed.dialect is Dialect.PROPOSED else State.VALIDATE


def _during_installation(observed: Observed) -> State:
    target = observed.target
    if not target.hostnames and not target.addresses and not ingress_addresses(observed):
        return State.INGRESS_PENDING
    if not ingress_addresses(observed):
        return State.LOAD_BALANCER_KNOWN
    if not _coredns_runs(observed):
        return State.COREDNS
    if observed.is_installed is False:
        return State.INSTALL_COMPLETE
    wanted = [each for each in owed_records(observed) if observed.dialect is Dialect.RELEASED or not _is_api(each)]
    return State.USER_APPS if not all(record.state.is_right for record in wanted) else State.STEADY


def _is_api(record: Record) -> bool:
    return not record.name.startswith(APPS)


def _coredns_runs(observed: Observed) -> bool:
    """Whether CoreDNS runs on every known node; unknown pods do not."""
    running = {text_of(dig(pod, "spec", "nodeName")) for pod in observed.pods or () if _is_running_coredns(pod)}
    nodes = {text_of(dig(node, "metadata", "name")) for node in observed.nodes or ()}
    return bool(running) and nodes <= running


def _is_running_coredns(pod: JsonObject) -> bool:
    labels = mapping(pod, "metadata", "labels")
    is_ours = dig(pod, "metadata", "namespace") == NAMESPACE and LABELS.items() <= labels.items()
    return is_ours and dig(pod, "status", "phase") == "Running"


def _problems(observed: Observed, records: Sequence[Record]) -> Iterator[Problem]:
    """What is wrong: refusals first, then objects that contradict each other, then records."""
    for refusal in observed.refusals:
        yield Problem(Reason.REFUSED, "install-config.yaml", refusal)
    if observed.refusals:
        return
    config = observed.install_config
    if (
        observed.infrastructure is not None
        and config is not None
        and user_keeps_names(config) is not _is_custom(observed)
    ):
        yield Problem(Reason.CONTRADICTION, "Infrastructure cluster", "does not have the choice of install-config.yaml")
    if not _is_custom(observed):
        return
    for path in zones(observed.dns):
        text = "must be absent, or the cluster writes *.apps to the cloud's DNS"
        yield Problem(Reason.CONTRADICTION, f"DNS cluster: {path}", text)
    if not observed.base_domain and (observed.dns is not None or observed.infrastructure is None):
        of_config = "install-config.yaml: <metadata.name>.<baseDomain>"
        subject = of_config if observed.dns is None else "DNS cluster: spec.baseDomain"
        yield Problem(Reason.INVALID_NAME, subject, "is not a DNS name in lower case")
    if observed.infrastructure is not None:
        yield from observed.target.problems
        yield from observed.hosted("ingress").problems
        yield from _about_addresses(observed)
        yield from _in_the_cloud(observed.cloud_records)
    yield from _about_records(records, is_installed=bool(observed.is_installed))


def _about_addresses(observed: Observed) -> Iterator[Problem]:
    """A load balancer whose name does not resolve, or whose addresses are not those that CoreDNS answers with."""
    target, listed = observed.target, observed.hosted("ingress").addresses
    found = observed.lookups(target.hostnames)
    if found.problem:
        yield Problem(Reason.UNRESOLVED, ", ".join(target.hostnames), found.problem)
    current = target.addresses or found.addresses
    if listed and current and set(listed) != set(current):
        text = f"lists {_listed(listed)}, and the load balancer has {_listed(current)}"
        yield Problem(Reason.STALE_ADDRESSES, f"Infrastructure cluster: {INGRESS_IPS}", text)


def _in_the_cloud(records: Iterable[JsonObject]) -> Iterator[Problem]:
    """Records that the ingress operator has written to zones of the platform's DNS."""
    for record in records:
        if dig(record, "status", "zones") and dig(record, "spec", "dnsManagementPolicy") != "Unmanaged":
            name = shown(dig(record, "metadata", "name"))
            yield Problem(
                Reason.CLOUD_RECORD,
                f"DNSRecord {name}",
                "is in zones of the DNS of the platform, which the user replaces",
            )


def _listed(addresses: Iterable[IPAddress]) -> str:
    return ", ".join(map(str, addresses))


def _about_records(records: Sequence[Record], *, is_installed: bool) -> Iterator[Problem]:
    """Records that lead elsewhere, and those that should exist by now and do not."""
    for name in dict.fromkeys(record.name for record in records):
        found = [record for record in records if record.name == name]
        wrong = next((record for record in found if record.state is RecordState.WRONG), None)
        is_due = found[0].when is When.BEFORE or (is_installed and bool(found[0].value))
        if wrong is not None:
            values = ", ".join(record.value for record in found)
            yield Problem(Reason.STALE_RECORD, name, f"{wrong.detail}, not to {values}")
        elif is_due and all(record.state is RecordState.MISSING for record in found):
            yield Problem(Reason.UNRESOLVED, name, f"does not resolve: {found[0].detail}")


def _is_custom(observed: Observed) -> bool:
    return observed.dialect is not None
