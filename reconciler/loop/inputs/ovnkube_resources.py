"""The objects with ovnkube's options, which loops watch by name: their namespace depends on the installation."""

from typing import Final

from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import CONFIG_MAPS, Part, Resource
from ovnguard.validators.network.cluster_view import DAEMON_SET, DEPLOYMENT
from ovnguard.validators.network.ovnkube_settings.command_lines import OVERRIDES
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import LIBRARY, VALUES_OF_CHART

_DAEMON_SETS: Final = Resource(DAEMON_SET.group, "v1", "daemonsets", DAEMON_SET.kind, namespaced=True)
_DEPLOYMENTS: Final = Resource(DEPLOYMENT.group, "v1", "deployments", DEPLOYMENT.kind, namespaced=True)

OVNKUBE_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    (CONFIG_MAPS, Part(name="ovnkube-config", trim=trim.ovnkube)),
    (CONFIG_MAPS, Part(name=LIBRARY, trim=trim.ovnkube)),
    (CONFIG_MAPS, Part(name=VALUES_OF_CHART, trim=trim.ovnkube)),
    (CONFIG_MAPS, Part(name=OVERRIDES, trim=trim.ovnkube)),
    (_DAEMON_SETS, Part(name="ovnkube-node", trim=trim.ovnkube)),
    (_DEPLOYMENTS, Part(name="ovnkube-control-plane", trim=trim.ovnkube)),
)
OVNKUBE_KINDS: Final = (CONFIG_MAPS.group_kind, DAEMON_SET, DEPLOYMENT)
