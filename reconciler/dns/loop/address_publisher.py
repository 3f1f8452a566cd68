"""The leader of the cluster records the addresses of the load balancer in the Infrastructure (released API).

Source: cluster-ingress-operator, ``pkg/operator/controller/dns``: for the default IngressController only, and only when
the set differs, because every change of the Infrastructure reaches the configuration of all nodes.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.dns.loop.dns_report import DnsReporter
from ovnguard.reconciler.dns.loop.followed_names import FollowedNames
from ovnguard.reconciler.dns.loop.ingress_addresses import from_service, with_kept
from ovnguard.reconciler.dns.plan.load_balancer import PLATFORMS
from ovnguard.reconciler.dns.plan.observed import Observed, observed_of
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.loop.inputs.live_view import ListedView
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.cluster_hosted import INGRESS_IPS, hosted_addresses

KEPT: Final = "the Infrastructure keeps the recorded addresses"
NO_PLATFORM: Final = "invalid PlatformStatus within Infrastructure config"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PublisherParts:
    """The dependencies of a publisher; in an audit there is no ``recorder``."""

    view: ListedView
    names: FollowedNames
    reporter: DnsReporter
    recorder: Recorder | None
    leading: Callable[[], bool]


class AddressPublisher:
    """Records the addresses of ``*.apps`` while it leads."""

    def __init__(self, parts: PublisherParts) -> None:
        self._parts = parts
        self._logged = ""

    def tick(self) -> tuple[str, ...]:
        """Record addresses that differ; return the failures, which the next tick retries."""
        if self._parts.view.waiting_for():
            return ()
        observed = observed_of(self._parts.view)
        if observed.dialect is not Dialect.RELEASED or not self._parts.leading():
            self._parts.names.follow(())
            return ()
        if not observed.platform:
            return (NO_PLATFORM,)
        if observed.platform not in PLATFORMS:
            return ()
        recorded = observed.hosted("ingress").addresses
        found = with_kept(from_service(observed, self._parts.names), map(str, recorded))
        self._parts.reporter.report(observed, found.problems, KEPT if found.is_stale else "")
        if not found.addresses or found.is_stale or set(found.addresses) == set(recorded):
            return ()
        return self._record(observed, sorted(found.addresses, key=lambda each: (each.version, int(each))))

    def due(self) -> float | None:
        """Return the seconds until the next lookup."""
        return self._parts.names.due()

    def _record(self, observed: Observed, addresses: list[IPAddress]) -> tuple[str, ...]:
        obj, hosted = observed.infrastructure, hosted_addresses(observed.infrastructure)
        assert obj is not None
        assert hosted is not None
        texts = [str(address) for address in addresses]
        what = f"Infrastructure cluster: {hosted.field}.{INGRESS_IPS}: {', '.join(texts)}"
        if self._parts.recorder is None:
            if what != self._logged:
                _log.info("%s: audit, not recorded", what)
            self._logged = what
            return ()
        try:
            written = self._parts.recorder.merge(obj, _nested(f"{hosted.field}.{INGRESS_IPS}", texts), "status")
        except ClusterError as error:
            return (f"{what}: cannot be recorded: {error}",)
        if written is None:
            return (f"{what}: not recorded: the object changed in the meantime",)
        _log.info("%s: recorded", what)
        return ()


def _nested(path: str, value: Any) -> JsonObject:
    """An object with ``value`` at ``path``."""
    for key in reversed(path.split(".")):
        value = {key: value}
    found: JsonObject = value
    return found
