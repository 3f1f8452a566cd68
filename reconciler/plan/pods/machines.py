"""Virtual machines in pods: which pod of a machine carries its traffic.

KubeVirt runs a machine in a pod; during a live migration there are two, and the target takes over when KubeVirt
annotates it as ready.

Source: ovn-kubernetes ``pkg/kubevirt/pod.go``; kubevirt.io/api/core/v1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.object_names import is_dns1123_subdomain
from ovnguard.validators.network.parse_values import dig, text_of

LAUNCHER: Final = ("kubevirt.io", "virt-launcher")
"""The label of pods with virtual machines."""
MACHINE: Final = "kubevirt.io/domain"
TARGET_READY: Final = "kubevirt.io/migration-target-ready-timestamp"
BRIDGED: Final = "kubevirt.io/allow-pod-bridge-network-live-migration"
RUNS_ON: Final = "kubevirt.io/nodeName"


@dataclass(frozen=True, slots=True)
class Launcher:
    """A pod with a virtual machine, ``machine``.

    ``is_done``: the pod has completed. ``is_target``: KubeVirt handed the machine over to it. ``is_running``: the
    machine runs in it. ``keeps_address``: the machine also keeps its address in the default network.
    """

    title: str
    machine: str
    node: str
    is_done: bool = False
    is_target: bool = False
    is_running: bool = False
    keeps_address: bool = False


@dataclass(frozen=True, slots=True)
class PortState:
    """The port of one of a machine's pods: ``enabled`` is None where no migration changed it.

    ``runs_at`` is the pod of the machine, if it keeps its address in the default network, that traffic goes to.
    """

    enabled: bool | None = None
    runs_at: Launcher | None = None


def launcher_of(obj: JsonObject, title: str, node: str, *, done: bool) -> Launcher | None:
    """Return the launcher that a Pod describes, None for other pods and where the machine has no valid name."""
    metadata = obj.get("metadata")
    if dig(metadata, "labels", LAUNCHER[0]) != LAUNCHER[1]:
        return None
    machine = dig(metadata, "annotations", MACHINE)
    if not isinstance(machine, str) or not is_dns1123_subdomain(machine):
        return None
    ready = bool(text_of(dig(metadata, "annotations", TARGET_READY)))
    running = ready or dig(metadata, "labels", RUNS_ON) == node
    return Launcher(title, machine, node, done, ready, running, dig(metadata, "annotations", BRIDGED) is not None)


def launcher_fields(metadata: object) -> tuple[object, ...]:
    """Return all values of a Pod's metadata that `launcher_of` reads; few pods have virtual machines."""
    labels = dig(metadata, "labels")
    if dig(labels, LAUNCHER[0]) != LAUNCHER[1]:
        return ()
    annotations = dig(metadata, "annotations")
    return (dig(labels, RUNS_ON), *(dig(annotations, key) for key in (MACHINE, TARGET_READY, BRIDGED)))


def port_states(launchers: Sequence[Launcher]) -> Mapping[str, PortState]:
    """Return the state of the ports of one machine's pods by title; ``launchers`` are in order of creation.

    A third living pod is not part of a migration: upstream waits until there are two again.
    """
    living = [each for each in launchers if not each.is_done][:2]
    enabled = _enabled(launchers, living)
    keeping = [each for each in living if each.keeps_address and each.is_running]
    runs_at = keeping[-1] if keeping else None
    return {each.title: PortState(enabled.get(each.title), runs_at) for each in living}


def _enabled(launchers: Sequence[Launcher], living: Sequence[Launcher]) -> Mapping[str, bool]:
    if len(living) < 2:
        # of a failed migration, the completed target may still exist
        failed = launchers[-1].is_done
        return {each.title: True for each in living if failed or each.is_target}
    source, target = living
    if target.is_target:
        return {source.title: False, target.title: True}
    return {target.title: False} | ({source.title: True} if source.is_target else {})
