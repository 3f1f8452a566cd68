"""Which pods leave by which nodes: EgressIP objects as far as a plan needs them.

Source: k8s.ovn.org/v1 EgressIP; ovn-kubernetes ``pkg/ovn/egressip.go``.
"""

from dataclasses import dataclass
from typing import Final

from validators.network.model import IPAddress

# Where the cluster manager begins with packet marks of EgressIP objects (annotation k8s.ovn.org/egressip-mark).
FIRST_MARK: Final = 50000
LAST_MARK: Final = 55000


@dataclass(frozen=True, slots=True)
class EgressPod:
    """A pod that an EgressIP serves: ``name`` is ``namespace/name``, ``node`` where it runs."""

    name: str
    node: str
    addresses: tuple[IPAddress, ...]


@dataclass(frozen=True, slots=True)
class EgressHop:
    """A node that holds one address of an EgressIP."""

    node: str
    address: IPAddress


@dataclass(frozen=True, slots=True)
class EgressAssignment:
    """One EgressIP in one network: ``hops`` as its status lists them, ``mark`` what its packets carry."""

    name: str
    network: str
    mark: int
    hops: tuple[EgressHop, ...]
    pods: tuple[EgressPod, ...]
