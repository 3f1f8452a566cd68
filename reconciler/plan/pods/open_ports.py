"""The ports that a pod of a primary network opens on the default network, where it is isolated otherwise.

Anyone who creates pods writes this annotation. As upstream, one wrong entry opens no port at all.

Source: ovn-kubernetes ``pkg/util/pod_annotation.go``, annotation ``k8s.ovn.org/open-default-ports``.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.plan.rows.model import OpenPort
from ovnguard.validators.manifest.positions import BadYAML
from ovnguard.validators.manifest.yaml_reader import load_first
from ovnguard.validators.network.declared.node_values import BadValueError

OPEN_PORTS: Final = "k8s.ovn.org/open-default-ports"
_PROTOCOLS: Final = ("tcp", "udp", "sctp", "icmp")
_MAX_TEXT: Final = 16 * 1024
_MAX_PORTS: Final = 100


def open_ports_of(text: object) -> tuple[OpenPort, ...]:
    """Return the ports in the annotation, in its order; none without one. Raises BadValueError."""
    if text is None:
        return ()
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise BadValueError(f"must be text of at most {_MAX_TEXT} characters")
    try:
        listed, _ = load_first(text.encode(), lambda *_: None)
    except (BadYAML, UnicodeEncodeError) as error:
        raise BadValueError("must be YAML") from error
    return tuple(_ports(listed))


def _ports(listed: object) -> Iterator[OpenPort]:
    if listed is None:
        return
    if not isinstance(listed, list) or len(listed) > _MAX_PORTS:
        raise BadValueError(f"must be a list of at most {_MAX_PORTS} entries with protocol and port")
    for entry in listed:
        protocol, port = (entry.get("protocol"), entry.get("port")) if isinstance(entry, dict) else (None, None)
        if not isinstance(protocol, str) or protocol not in _PROTOCOLS:
            raise BadValueError(f"protocol must be one of {', '.join(_PROTOCOLS)}")
        if protocol == "icmp" and port is not None:
            raise BadValueError("icmp has no port")
        if protocol != "icmp" and (not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535):
            raise BadValueError(f"port of {protocol} must be a whole number from 0 to 65535")
        yield OpenPort(protocol, port)
