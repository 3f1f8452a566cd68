"""Manifests that are read in no time and were made to take long to judge or to report."""

from typing import Final

from tests.attacks.bombs import (
    JSON,
    LAYER3,
    LONG,
    MANY,
    MEGA,
    NETWORK,
    cut,
    json_bomb,
    lines,
    numbered,
    unknown,
    yaml_bomb,
)
from tests.support.soak import sized

_IN_METADATA: Final = "namespace: red, "
_OWNER: Final = "{apiVersion: v1, kind: Pod, name: p%d, uid: u, controller: true}"
_ARGUMENTS: Final = """\
apiVersion: operator.openshift.io/v1
kind: Network
metadata: {name: cluster}
spec:
  kubeProxyConfig: {proxyArguments: {
    ? %s
    : [%s]}}
"""
_OWNERS: Final = sized(2000, 20_000)
_ATTACHMENT: Final = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: net, namespace: red}
spec:
  config: |
    {"cniVersion":"1.0.0","name":"n","netAttachDefName":"red/net","topology":"layer2","type":"ovn-k8s-cni-overlay",%s}
"""
_NODE: Final = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {k8s.ovn.org/node-subnets: '%s'}}\n"
_OVNKUBE: Final = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ovnkube-node, namespace: ovn-kubernetes}
spec:
  selector: {}
  template:
    spec:
      containers:
"""
_FRR: Final = """\
---
apiVersion: frrk8s.metallb.io/v1beta1
kind: FRRConfiguration
metadata: {name: f%d, namespace: frr}
spec: {bgp: {routers: [{asn: 64512, neighbors: [{asn: 64513, address: 10.%d.%d.1}]}]}}
"""
_KIND: Final = "---\napiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwok%d\n"
_LABEL: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_CONFIGURATIONS: Final = sized(300, 1000)
_SUBNET: Final = '"10.%d.%d.0/24"'


def _with_metadata(entries: str) -> str:
    return NETWORK.replace("namespace: red", _IN_METADATA + entries)


def _unread(detail: str, end: str, rule: str = "cni-config-unreadable", at: str = "5:3") -> str:
    """The line about the text of an attachment, of which it shows the beginning and the end."""
    return f'{at}: error: {detail} (spec.config: Invalid value: "{{\\"cniVersion\\":\\"1.0...{end}...")  [{rule}]'


def _no_json(value: str) -> str:
    field = "metadata.annotations[k8s.ovn.org/node-subnets]"
    return f'3:36: warning: must be JSON ({field}: Invalid value: "{value}")  [node-unreadable]'


def _wrong_argument(key: str) -> str:
    field = f"spec.kubeProxyConfig.proxyArguments.{key}[0]"
    detail = f'{field} in body must be of type string: "integer"'
    return f'7:8: error: {detail} ({field}: Invalid value: "integer")  [spec.kubeProxyConfig.proxyArguments[*][*].type]'


def _many_lengths() -> str:
    return NETWORK + lines(f"  k{'.' * (number % 900)}{number}: 1" for number in range(3000))


def _two_controllers() -> str:
    printed = '{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u","controller":true}'
    value = f"Invalid value: {cut('[' + ','.join(printed % number for number in range(_OWNERS)) + ']')}"
    return (
        '3:39: error: Only one reference can have Controller set to true. Found "true" in references for Pod/p0 and '
        f"Pod/p1 (metadata.ownerReferences: {value[:38]}...{value[-38:]})  [metadata]"
    )


KEYS: Final = (
    yaml_bomb(
        "unknown keys",
        "positions of findings",
        lambda: NETWORK + lines(f"  k{number}: 1" for number in range(MANY)),
        1,
        unknown("7:3", "spec.k0"),
    ),
    yaml_bomb(
        "unknown keys of many lengths",
        "positions of findings",
        _many_lengths,
        1,
        unknown("1806:3", f"spec.k{'.' * 899}1799"),
    ),
    yaml_bomb(
        "misspelt keys",
        "suggestions",
        lambda: NETWORK + lines(f"  topolog{number}: 1" for number in range(MANY)),
        1,
        unknown("7:3", "spec.topolog0"),
    ),
    json_bomb(
        "unknown keys in one line",
        "source lines of findings",
        lambda: JSON.replace('"spec":{', f'"spec":{{{numbered(MANY, chr(34) + "k%d" + chr(34) + ":1")},') % 1400,
        1,
        unknown("1:112", "spec.k0"),
    ),
    yaml_bomb("long key", "messages", lambda: f"{NETWORK}  ? {'k' * MEGA}\n  : 1\n", 2, f"7:5: {LONG}"),
    json_bomb("long JSON key", "messages", lambda: f'{{"{"k" * MEGA}": 1}}', 2, f"1:2: {LONG}"),
    yaml_bomb(
        "long keys",
        "suggestions and messages",
        lambda: NETWORK + lines(f"  {'k' * 1000}{number}: 1" for number in range(3000)),
        1,
        unknown("7:3", f"spec.{'k' * 1000}0"),
    ),
    yaml_bomb(
        "items below a long key",
        "memory of paths",
        lambda: _ARGUMENTS % ("k" * 1000, "1," * MANY),
        1,
        _wrong_argument("k" * 1000),
    ),
    yaml_bomb(
        "items below a key of a megabyte",
        "memory of paths",
        lambda: _ARGUMENTS % ("k" * MEGA, "1," * 5000),
        2,
        f"6:7: {LONG}",
    ),
    yaml_bomb("duplicate keys", "messages", lambda: NETWORK + "  x: 1\n" * MANY, 2, "8:3: error: duplicate key 'x'"),
    json_bomb("equal keys", "messages", lambda: '{"a":1' + ',"a":1' * MANY + "}", 2, "1:8: error: duplicate key 'a'"),
)
LISTS: Final = (
    yaml_bomb(
        "items with findings",
        "positions in a list",
        lambda: LAYER3 + "    - {cidr: x, z: 1}\n" * MANY,
        1,
        unknown("9:17", "spec.layer3.subnets[0].z"),
    ),
    yaml_bomb(
        "long value",
        "messages about an enumeration",
        lambda: NETWORK.replace("Layer2\n", f"{'x' * MEGA}\n"),
        1,
        '5:3: error: supported values: "Layer2", "Layer3" (spec.topology: Unsupported value: '
        f'"{"x" * 18}...{"x" * 37}")  [spec.topology.enum]',
    ),
    yaml_bomb(
        "labels",
        "checks of metadata",
        lambda: _with_metadata(f"labels: {{{numbered(MANY, 'k%d: a!')}}}"),
        1,
        f'3:39: error: {_LABEL} (metadata.labels: Invalid value: "a!")  [metadata]',
    ),
    yaml_bomb(
        "unknown keys of the metadata",
        "decoding of metadata",
        lambda: _with_metadata(numbered(MANY)),
        1,
        unknown("3:39", "metadata.k0"),
    ),
    yaml_bomb(
        "controllers",
        "each error prints all owners",
        lambda: _with_metadata(f"ownerReferences: [{numbered(_OWNERS, _OWNER)}]"),
        1,
        _two_controllers(),
    ),
    yaml_bomb(
        "containers of ovnkube",
        "settings are completed from all containers",
        lambda: (
            _OVNKUBE
            + "      - {name: a, args: [--enable-dynamic-udn-allocation, --udn-deletion-grace-period=5m]}\n" * 400
        ),
        1,
        "9:26: error: the Dynamic UDN Allocation feature cannot be enabled without also enabling Network Segmentation "
        '(spec.template.spec.containers[0].args[0]: Invalid value: "true")  [OVNG-DYN-001]',
    ),
)
TEXTS: Final = (
    yaml_bomb(
        "configuration of depth",
        "JSON in an attachment",
        lambda: _ATTACHMENT % ('"x":' + "[" * 60_000),
        1,
        _unread("invalid character '[' exceeded max depth", '."ovn-k8s-cni-overlay\\",\\"x\\":[[[[['),
    ),
    yaml_bomb(
        "configuration with digits",
        "JSON in an attachment",
        lambda: _ATTACHMENT % f'"mtu":{"9" * 60_000}',
        1,
        _unread(f"json: cannot unmarshal number {'9' * 370}...", '."ovn-k8s-cni-overlay\\",\\"mtu\\":999'),
    ),
    yaml_bomb(
        "configuration with an exponent",
        "JSON in an attachment",
        lambda: _ATTACHMENT % '"mtu":1e999999999',
        1,
        _unread(
            "json: cannot unmarshal number 1e999999999 into Go struct field NetConf.mtu of type int",
            '."ovn-k8s-cni-overlay\\",\\"mtu\\":1e9',
            at="6:116",
        ),
    ),
    yaml_bomb(
        "configuration with equal keys",
        "JSON in an attachment",
        lambda: _ATTACHMENT % ",".join(f'"mtu":{number}' for number in range(3000)),
        1,
        _unread(
            'mtu: only the last of the keys "mtu", "mtu", "mtu" and 2,997 more counts',
            '.ovn-k8s-cni-overlay\\",\\"mtu\\":0,\\"',
            "cni-config-repeated-key",
            "6:116",
        ),
    ),
    yaml_bomb(
        "long configuration",
        "JSON in an attachment",
        lambda: _ATTACHMENT % f'"x":"{"y" * 5 * MEGA}"',
        1,
        _unread("must not be longer than 65536 characters", '.ovn-k8s-cni-overlay\\",\\"x\\":\\"yyyy'),
    ),
    yaml_bomb(
        "annotation of depth",
        "JSON in an annotation",
        lambda: _NODE % ("[" * 200_000),
        0,
        _no_json(f"{'[' * 22}...{'[' * 34}..."),
    ),
    yaml_bomb(
        "annotation with digits",
        "JSON in an annotation",
        lambda: _NODE % f'{{"default":{"9" * 200_000}}}',
        0,
        _no_json(f'{{\\"default\\":{"9" * 9}...{"9" * 34}...'),
    ),
    yaml_bomb(
        "annotation with subnets",
        "JSON in an annotation",
        lambda: _NODE % f'{{"default":[{",".join(_SUBNET % (n >> 8, n & 255) for n in range(10_000))}]}}',
        0,
        "1 file, 1 object judged, 0 errors, 0 warnings",
    ),
)
OBJECTS: Final = (
    yaml_bomb(
        "FRRConfigurations of a node",
        "neighbours are merged",
        lambda: _NODE % "{}" + "".join(_FRR % (number, number >> 8, number & 255) for number in range(_CONFIGURATIONS)),
        0,
        f"1 file, {_CONFIGURATIONS + 1:,} objects judged, 0 errors, 0 warnings",
    ),
    yaml_bomb(
        "misspelt kinds",
        "suggestions for each object",
        lambda: "".join(_KIND % number for number in range(sized(1000, 100_000))),
        2,
        "3:1: error: unknown kind UserDefinedNetwok0 of k8s.ovn.org/v1; did you mean UserDefinedNetwork of "
        "k8s.ovn.org/v1? (kind)",
    ),
)
JUDGING: Final = (*KEYS, *LISTS, *TEXTS, *OBJECTS)
