"""The errors about invalid values in a network's declaration, each with a stable id.

No schema finds these errors: it accepts any string where ovnguard needs a subnet. They are findings like those of
rules, and `kubectl ovn-preflight explain ID` explains them.
"""

from pathlib import Path
from typing import Final, NamedTuple


class ParseError(NamedTuple):
    """One class of errors: its id, the requirement, and how to meet it."""

    id: str
    message: str
    hint: str
    severity: str = "error"
    why: str = "No schema sees this error: it accepts the value as text. No rule judges a network that cannot be read."

    @property
    def module(self) -> str:
        """The module that defines the error."""
        return __name__

    @property
    def line(self) -> int:
        """The line of its definition, counted from 1."""
        lines = Path(__file__).read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if f'"{self.id}",' in line)


SUBNET: Final = ParseError(
    "subnet-unreadable",
    "a subnet must be an address and a prefix length",
    "write subnets like 10.0.0.0/16 or fd00::/64",
)
HOST_BITS: Final = ParseError(
    "subnet-host-bits",
    "the address of a subnet must be its first one",
    "write the subnet that the error names",
)
IP_FAMILY: Final = ParseError(
    "subnet-ip-family",
    "a subnet must have the IP family of its field",
    "move the subnet to the field of its IP family",
)
ADDRESS: Final = ParseError(
    "address-unreadable",
    "an address must be an IPv4 or IPv6 address without a zone",
    "write addresses like 10.0.0.1 or fd00::1",
)
HOST_SUBNET: Final = ParseError(
    "host-subnet-invalid",
    "the subnet of a node must be smaller than the subnet that it is part of",
    "choose a prefix length that is longer than that of the subnet and leaves room for addresses on each node",
)
LIST: Final = ParseError(
    "list-unreadable",
    "a list must be a list, or text with commas, of at most 400 values",
    "check the type of the field, and merge neighboring subnets",
)
NUMBER: Final = ParseError(
    "number-out-of-range",
    "a number must be whole and in the range of its field",
    "use a number of the range that the error names",
)
TRANSIT: Final = ParseError(
    "transit-subnets-unreadable",
    "the annotation of transit subnets must have at most one subnet of each IP family",
    "remove the annotation from a new network: ovnguard selects the transit subnets",
)
NETWORK_ID: Final = ParseError(
    "network-id-unreadable",
    "the annotation of the network id must be a decimal number from 1 to 4095",
    "remove the annotation from a new network: the cluster allocates network ids",
)
TUNNEL_KEYS: Final = ParseError(
    "tunnel-keys-unreadable",
    "the annotation of tunnel keys must be a JSON list of at most two tunnel keys",
    "remove the annotation from a new network: the cluster allocates tunnel keys",
)
NAME: Final = ParseError(
    "network-name-missing",
    "an object that declares a network must have a name",
    "set metadata.name or metadata.generateName",
)
TOPOLOGY: Final = ParseError(
    "topology-unknown",
    "the topology must be Layer2, Layer3 or Localnet",
    "set one of these topologies; CNI configurations write them in lower case",
)
ROLE: Final = ParseError(
    "role-invalid",
    "the role must be Primary or Secondary, and a Localnet network has no primary role",
    "set one of these roles; CNI configurations write them in lower case",
)
CNI_CONFIG: Final = ParseError(
    "cni-config-unreadable",
    "spec.config must be one JSON object that configures a single plugin, with values of the types of their keys",
    "check the JSON text and the types of its values, and configure ovn-k8s-cni-overlay without other plugins",
)
CNI_KEYS: Final = ParseError(
    "cni-config-repeated-key",
    "spec.config must not contain a key twice: ovn-kubernetes ignores the case of keys, and the last one counts",
    "remove all keys but one, and spell it as documented",
)
CNI_VALUE: Final = ParseError(
    "cni-config-value",
    "a value of the configuration must be in the range of its key",
    "use a value that the error allows",
)
CNI_NAMES: Final = ParseError(
    "cni-config-names",
    "the configuration must name its own attachment and a network that is not reserved",
    "set netAttachDefName to namespace/name of the object, and name to that of the network",
)
CNI_TRANSPORT: Final = ParseError(
    "cni-config-transport",
    "transport and outboundSNAT must be values that ovn-kubernetes knows, and belong together",
    'set outboundSNAT to enabled or disabled with transport "no-overlay", and leave it out otherwise',
)
CNI_CONFLICT: Final = ParseError(
    "cni-config-conflict",
    "the attributes of the configuration must go together with its topology and subnets",
    "remove the attribute that the error names, or change topology or subnets",
)
NODE: Final = ParseError(
    "node-unreadable",
    "the name, labels, annotations and addresses of a node must be readable",
    "correct the value: OVN-Kubernetes writes these annotations, and the kubelet the addresses",
    "warning",
    "Rules treat a value that cannot be read as absent, and a node without a valid name as a node that does not exist.",
)


def all_parse_errors() -> tuple[ParseError, ...]:
    """Return all classes, ordered by id."""
    return tuple(sorted(each for each in globals().values() if isinstance(each, ParseError)))
