"""The objects of a manifest, by its path."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from reconciler.rollout.plan import folders
from reconciler.rollout.plan.manifests import alert_rules, common, services, workloads
from reconciler.rollout.plan.manifests.values import ManifestValues
from reconciler.rollout.plan.model import Folder
from validators.base.json_types import JsonObject

_Build = Callable[[ManifestValues], list[JsonObject]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a manifest. With hosted control planes, ``control`` objects are in the management cluster."""

    document: JsonObject
    control: bool = True


_SINGLE: Final[Mapping[str, _Build]] = MappingProxyType(
    {
        folders.SERVICE_FILE: services.databases,
        folders.ROUTE_FILE: services.route,
        folders.ALERTS_FILE: alert_rules.single_zone,
        folders.MASTER_MONITOR_FILE: services.monitor_master,
        folders.MASTER_FILE: workloads.master,
        folders.NODE_FILE: workloads.node,
    }
)
_BUILDERS: Final[Mapping[Folder, Mapping[str, _Build]]] = {
    Folder.LEGACY: _SINGLE,
    Folder.SINGLE: _SINGLE,
    Folder.TEMPORARY: {folders.ALERTS_FILE: alert_rules.between},
    Folder.FINAL: {
        folders.ALERTS_FILE: alert_rules.multizone,
        folders.CONTROL_PLANE_MONITOR_FILE: services.monitor_control_plane,
        folders.CONTROL_PLANE_FILE: workloads.control_plane,
        folders.NODE_FILE: workloads.multizone_node,
    },
}
_COMMON: Final[Mapping[str, _Build]] = {
    folders.PREPULLER_PATH: common.prepuller,
    folders.IPSEC_LEGACY_PATH: common.ipsec_before,
    **dict(zip(folders.IPSEC_PATHS, (common.ipsec_on_host, common.ipsec_in_containers), strict=True)),
}


def manifests_of(path: str, values: ManifestValues) -> tuple[Manifest, ...]:
    """Return the objects of the manifest at ``path``, such as ``managed/multi-zone-interconnect/ovnkube-node.yaml``.

    Raises KeyError for a path that no folder has.
    """
    if path in _COMMON:
        return tuple(Manifest(document, control=False) for document in _COMMON[path](values))
    _, folder_name, file = path.split("/")
    folder = Folder(folder_name)
    link = folders.link_of(folder, file)
    build = _BUILDERS[folder if link is None else Folder(link.split("/")[1])][file]
    fitting = replace(values, interconnect=folder is not Folder.LEGACY)
    control = file != folders.NODE_FILE
    return tuple(Manifest(document, control) for document in build(fitting))
