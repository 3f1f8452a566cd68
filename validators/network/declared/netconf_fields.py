"""The fields of a CNI configuration in OVN-Kubernetes' Go structs.

Sources: ovn-kubernetes, ``go-controller/pkg/cni/types`` (NetConf, EVPNConfig, VRFConfig); containernetworking/cni 1.3,
``pkg/types`` (PluginConf, IPAM, DNS, GCAttachment).
"""

from typing import Final

from ovnguard.validators.go.basic_types import ANYTHING, FLAG, INT, INT32, TEXT
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf
from ovnguard.validators.go.json_decode import Kind

_IPAM: Final = StructOf("types.IPAM", Field("type", TEXT), pointer=False)
_DNS: Final = StructOf(
    "types.DNS",
    Field("nameservers", ListOf(TEXT)),
    Field("domain", TEXT),
    Field("search", ListOf(TEXT)),
    Field("options", ListOf(TEXT)),
    pointer=False,
)
_ATTACHMENT: Final = StructOf("types.GCAttachment", Field("containerID", TEXT), Field("ifname", TEXT))
_OF_ANY_PLUGIN: Final[tuple[tuple[str, Kind], ...]] = (
    ("cniVersion", TEXT),
    ("name", TEXT),
    ("type", TEXT),
    ("capabilities", MapOf(FLAG)),
    ("ipam", _IPAM),
    ("dns", _DNS),
    ("prevResult", MapOf(ANYTHING)),
    ("cni.dev/valid-attachments", ListOf(_ATTACHMENT)),
)
_VRF: Final = StructOf("types.VRFConfig", Field("vni", INT32), Field("routeTarget", TEXT), Field("vid", INT))
_EVPN: Final = StructOf("types.EVPNConfig", Field("vtep", TEXT), Field("macVRF", _VRF), Field("ipVRF", _VRF))
_RUNTIME: Final = StructOf(
    'struct { CNIDeviceInfoFile string "json:\\"CNIDeviceInfoFile,omitempty\\"" }',
    Field("CNIDeviceInfoFile", TEXT),
    pointer=False,
)
PLUGIN_CONF: Final = StructOf("types.PluginConf", *(Field(key, kind) for key, kind in _OF_ANY_PLUGIN))
"""The fields that libcni reads from every plugin of a list."""
NET_CONF: Final = StructOf(
    "types.NetConf",
    # an embedded struct: its name is part of the path in errors
    *(Field(key, kind, path=f"NetConf.{key}") for key, kind in _OF_ANY_PLUGIN),
    Field("role", TEXT),
    Field("topology", TEXT),
    Field("netAttachDefName", TEXT),
    Field("mtu", INT),
    Field("subnets", TEXT),
    Field("excludeSubnets", TEXT),
    Field("reservedSubnets", TEXT),
    Field("infrastructureSubnets", TEXT),
    Field("joinSubnet", TEXT),
    Field("transitSubnet", TEXT),
    Field("defaultGatewayIPs", TEXT),
    Field("vlanID", INT),
    Field("allowPersistentIPs", FLAG),
    Field("physicalNetworkName", TEXT),
    Field("transport", TEXT),
    Field("outboundSNAT", TEXT),
    Field("evpn", _EVPN),
    Field("uplink", TEXT),
    Field("deviceID", TEXT),
    Field("logFile", TEXT),
    Field("logLevel", TEXT),
    Field("logfile-maxsize", INT),
    Field("logfile-maxbackups", INT),
    Field("logfile-maxage", INT),
    Field("cniRequestTimeout", TEXT),
    Field("runtimeConfig", _RUNTIME),
)
"""The fields that OVN-Kubernetes reads from its own plugin."""
