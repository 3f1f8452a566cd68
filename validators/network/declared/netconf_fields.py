"""The fields of a CNI configuration in OVN-Kubernetes' Go structs.

Sources: ovn-kubernetes, ``go-controller/pkg/cni/types`` (NetConf, EVPNConfig, VRFConfig); containernetworking/cni 1.3,
``pkg/types`` (PluginConf, IPAM, DNS, GCAttachment).
"""

from typing import Final

from validators.go.json_decode import BOOL, INT, INT32, TEXT, Anything, Field, ListOf, MapOf, Struct, Type

_IPAM: Final = Struct("types.IPAM", "IPAM", (Field("type", TEXT),))
_DNS: Final = Struct(
    "types.DNS",
    "DNS",
    (
        Field("nameservers", ListOf(TEXT)),
        Field("domain", TEXT),
        Field("search", ListOf(TEXT)),
        Field("options", ListOf(TEXT)),
    ),
)
_ATTACHMENT: Final = Struct("types.GCAttachment", "GCAttachment", (Field("containerID", TEXT), Field("ifname", TEXT)))
_OF_ANY_PLUGIN: Final[tuple[tuple[str, Type], ...]] = (
    ("cniVersion", TEXT),
    ("name", TEXT),
    ("type", TEXT),
    ("capabilities", MapOf(BOOL)),
    ("ipam", _IPAM),
    ("dns", _DNS),
    ("prevResult", MapOf(Anything())),
    ("cni.dev/valid-attachments", ListOf(_ATTACHMENT)),
)
_VRF: Final = Struct(
    "types.VRFConfig",
    "VRFConfig",
    (Field("vni", INT32), Field("routeTarget", TEXT), Field("vid", INT)),
    pointer=True,
)
_EVPN: Final = Struct(
    "types.EVPNConfig",
    "EVPNConfig",
    (Field("vtep", TEXT), Field("macVRF", _VRF), Field("ipVRF", _VRF)),
    pointer=True,
)
_RUNTIME: Final = Struct(
    'struct { CNIDeviceInfoFile string "json:\\"CNIDeviceInfoFile,omitempty\\"" }',
    "",
    (Field("CNIDeviceInfoFile", TEXT),),
)
PLUGIN_CONF: Final = Struct("types.PluginConf", "PluginConf", tuple(Field(key, kind) for key, kind in _OF_ANY_PLUGIN))
"""The fields that libcni reads from every plugin of a list."""
NET_CONF: Final = Struct(
    "types.NetConf",
    "NetConf",
    (
        # an embedded struct: its name is part of the path in errors
        *(Field(key, kind, ("NetConf", key)) for key, kind in _OF_ANY_PLUGIN),
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
        Field("allowPersistentIPs", BOOL),
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
    ),
)
"""The fields that OVN-Kubernetes reads from its own plugin."""
