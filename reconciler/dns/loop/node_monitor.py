"""The loop of a node: CoreDNS's configuration follows the load balancer, DNS servers and nodes, and its pod is enabled.

The configuration on disk is the only memory: addresses that cannot be confirmed stay in it, also after a restart.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.dns.apply.node_files import read_text, remove, write_text
from ovnguard.reconciler.dns.loop.dns_metrics import DnsMetrics, DnsNumbers
from ovnguard.reconciler.dns.loop.dns_report import DnsReporter
from ovnguard.reconciler.dns.loop.followed_names import FollowedNames
from ovnguard.reconciler.dns.loop.ingress_addresses import Ingress, ingress_of, with_kept
from ovnguard.reconciler.dns.plan.corefile import HEALTH_PORT, CorefileInput, addresses_in, corefile, node_addresses
from ovnguard.reconciler.dns.plan.load_balancer import addresses_of
from ovnguard.reconciler.dns.plan.observed import Observed, observed_of
from ovnguard.reconciler.dns.plan.served_names import API_INT, APPS, Dialect
from ovnguard.reconciler.dns.plan.static_pod import DISABLED, ENABLED, StaticPodInput, static_pod
from ovnguard.reconciler.dns.plan.upstreams import Upstream
from ovnguard.reconciler.loop.inputs.live_view import ListedView
from ovnguard.validators.network.declared.node import node_of

KEPT: Final = "CoreDNS keeps the last addresses"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PodPlace:
    """Where the manifest of the static pod belongs, a folder with those of `static_pod`, and the images in it."""

    folder: Path
    coredns_image: str
    monitor_image: str


@dataclass(frozen=True, slots=True)
class MonitorParts:
    """The dependencies of a monitor. Without ``corefile`` or ``pod``, it does not write that file.

    ``served`` asks CoreDNS which addresses it answers with for ``*.apps`` of a domain.
    """

    view: ListedView
    names: FollowedNames
    upstreams: Callable[[], tuple[Upstream, ...]]
    reporter: DnsReporter
    corefile: Path | None = None
    pod: PodPlace | None = None
    reload: int = 0
    health_port: int = HEALTH_PORT
    audit: bool = False
    metrics: DnsMetrics = field(default_factory=DnsMetrics)
    served: Callable[[str], frozenset[str]] | None = None
    clock: Callable[[], float] = time.time


class NodeMonitor:
    """Keeps the files of CoreDNS on this node."""

    def __init__(self, parts: MonitorParts) -> None:
        self._parts = parts
        self._confirmed = parts.clock()
        self._changed = 0.0
        self._logged: frozenset[str] = frozenset()
        self._states: list[str] = []
        self.is_complete = False
        """Whether the last tick left every file as wanted."""

    def tick(self) -> tuple[str, ...]:
        """Bring the files up to date; return the failures, which the next tick retries."""
        self.is_complete = False
        if self._parts.view.waiting_for():
            return ()
        self._logged, self._states = frozenset(self._states), []
        try:
            failures = self._keep(observed_of(self._parts.view))
        except StoreError as error:
            failures = (str(error),)
        if failures:
            self._parts.metrics.rendered("failed")
        return failures

    def due(self) -> float | None:
        """Return the seconds until the next lookup."""
        return self._parts.names.due()

    def _keep(self, observed: Observed) -> tuple[str, ...]:
        if observed.dialect is None:
            self._log_state("this cluster uses the DNS of its platform: nothing to write")
            self._parts.names.follow(())
            self.is_complete = True
            return ()
        if not observed.nodes:
            return ("no Node is listed: the configuration of CoreDNS stays as it is",)
        path = self._parts.corefile
        before = "" if path is None else read_text(path)
        kept = addresses_in(before, observed.base_domain)
        ingress = with_kept(ingress_of(observed, self._parts.names), kept.get(APPS, ()))
        self._parts.reporter.report(observed, ingress.problems, KEPT if ingress.is_stale and ingress.addresses else "")
        if not ingress.addresses and ingress.absence:
            self._log_state(f"{ingress.absence}; *.apps has no address yet")
        text, failures = before, tuple[str, ...]()
        if path is not None and (ingress.addresses or observed.dialect is Dialect.RELEASED):
            text, problems = corefile(self._wanted(observed, ingress, kept))
            failures = tuple(map(str, problems))
            if not failures:
                self._write(path, text, "the configuration of CoreDNS")
        self._measure(observed, ingress, text)
        if not failures:
            self._place_pod(observed, ingress)
            self.is_complete = bool(text) or path is None
        return failures

    def _wanted(self, observed: Observed, ingress: Ingress, kept: Mapping[str, tuple[str, ...]]) -> CorefileInput:
        parsed = (node_of(each).node for each in observed.nodes or ())
        return CorefileInput(
            observed.base_domain,
            observed.dialect or Dialect.PROPOSED,
            self._parts.upstreams(),
            ingress.addresses,
            observed.hosted("api").addresses,
            observed.hosted("api_int").addresses or addresses_of(kept.get(API_INT, ()), API_INT).addresses,
            node_addresses(node for node in parsed if node is not None),
            self._parts.reload,
            self._parts.health_port,
        )

    def _place_pod(self, observed: Observed, ingress: Ingress) -> None:
        place = self._parts.pod
        if place is None or observed.dialect is None:
            return
        lists = (ingress.addresses, observed.hosted("api").addresses, observed.hosted("api_int").addresses)
        images = (place.coredns_image, place.monitor_image)
        pod = static_pod(StaticPodInput(observed.dialect, observed.platform, *images, *lists, self._parts.health_port))
        folders = [Path(ENABLED).name, Path(DISABLED).name]
        folder, other = folders if pod.is_enabled else reversed(folders)
        name = Path(pod.path).name
        self._write(
            place.folder / folder / name, f"{json.dumps(pod.manifest, indent=2)}\n", "the static pod of CoreDNS"
        )
        if not self._parts.audit and remove(place.folder / other / name):
            _log.info(
                "%s: removed; the pod is %s", place.folder / other / name, "enabled" if pod.is_enabled else "disabled"
            )

    def _write(self, path: Path, text: str, what: str) -> None:
        if self._parts.audit:
            if read_text(path) != text:
                self._log_state(f"{path}: audit, not written: {what} differs")
        elif write_text(path, text):
            _log.info("%s: %s written", path, what)
            self._changed = self._parts.clock()
            self._parts.metrics.rendered("written")

    def _measure(self, observed: Observed, ingress: Ingress, text: str) -> None:
        """Set the service level indicators."""
        now = self._parts.clock()
        if not ingress.is_stale:
            self._confirmed = now
        answered = frozenset(addresses_in(text, observed.base_domain).get(APPS, ()))
        served = self._parts.served(observed.base_domain) if self._parts.served is not None else answered
        self._parts.metrics.looked_up(ingress.succeeded, ingress.failed)
        self._parts.metrics.set(
            DnsNumbers(
                sum(address.version == 4 for address in ingress.addresses),
                sum(address.version == 6 for address in ingress.addresses),
                self._confirmed if ingress.is_stale else 0.0,
                self._changed,
                served != answered,
            )
        )

    def _log_state(self, text: str) -> None:
        """Log what is so, unless the last tick logged it."""
        if text not in self._logged:
            _log.info("%s", text)
        self._states.append(text)
