"""Pods as a plan needs them: what each has on one network.

Source: ovn-kubernetes, annotation ``k8s.ovn.org/pod-networks``.
"""

from dataclasses import dataclass

from reconciler.plan.names import pod_port
from validators.network.model import IPAddress


@dataclass(frozen=True, slots=True)
class PodPort:
    """One pod on one network.

    ``attachment`` is the key of the annotation: ``default`` or the attachment's ``namespace/name``. ``key`` is the key
    of the pod's port on a switch that all zones share, None where none is recorded.
    """

    network: str
    attachment: str
    namespace: str
    pod: str
    uid: str
    node: str
    mac: str
    addresses: tuple[IPAddress, ...]
    key: int | None = None

    @property
    def title(self) -> str:
        """Namespace and name of the pod."""
        return f"{self.namespace}/{self.pod}"

    @property
    def name(self) -> str:
        """The name of its port."""
        return pod_port(self.attachment, self.namespace, self.pod)
