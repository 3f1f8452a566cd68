"""The addresses of the load balancer of ``*.apps``, and whether they are still confirmed."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.loop.followed_names import FollowedNames
from ovnguard.reconciler.dns.plan.load_balancer import SERVICE, addresses_of
from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.served_names import APPS, Dialect
from ovnguard.validators.network.model import IPAddress

_HOSTED: Final = "Infrastructure cluster: clusterHosted.ingressLoadBalancerIPs: is empty"


class Ingress(NamedTuple):
    """The addresses to answer with. ``problems`` say what is wrong with the load balancer.

    ``is_stale``: some addresses are kept from before, because the load balancer cannot be followed now. ``absence``:
    why there is no address.
    """

    addresses: tuple[IPAddress, ...] = ()
    problems: tuple[str, ...] = ()
    is_stale: bool = False
    absence: str = ""
    succeeded: int = 0
    failed: int = 0


def ingress_of(observed: Observed, names: FollowedNames) -> Ingress:
    """Return the addresses from the place where the API of the cluster has them."""
    if observed.dialect is Dialect.PROPOSED:
        return from_service(observed, names)
    names.follow(())
    found = observed.hosted("ingress")
    return Ingress(found.addresses, tuple(map(str, found.problems)), absence="" if found.addresses else _HOSTED)


def from_service(observed: Observed, names: FollowedNames) -> Ingress:
    """Return the addresses in the status of the Service, host names looked up; none without a load balancer."""
    target = observed.target
    followed = names.follow(target.hostnames)
    found = addresses_of(map(str, (*followed.addresses, *target.addresses)), f"Service {SERVICE}: its load balancer")
    problems = (*map(str, (*target.problems, *found.problems)), *followed.problems)
    absence = f"Service {SERVICE}: {'has no usable load balancer' if target.exists else 'does not exist'}"
    known = found.addresses or target.hostnames
    counts = (followed.succeeded, followed.failed)
    return Ingress(found.addresses, problems, bool(followed.problems), "" if known else absence, *counts)


def with_kept(found: Ingress, kept: Iterable[object]) -> Ingress:
    """Return the addresses with those of ``kept``, the last ones, that are neither confirmed nor replaced.

    They stay of a family that the load balancer cannot be asked about, and all of them while no address is known.
    """
    before = addresses_of(kept, APPS).addresses
    if found.addresses:
        families = {address.version for address in found.addresses}
        missing = [address for address in before if found.is_stale and address.version not in families]
        return found._replace(addresses=(*found.addresses, *missing))
    if not before:
        return found
    problems = (*found.problems, found.absence) if found.absence else found.problems
    return found._replace(addresses=before, problems=problems, is_stale=True)
