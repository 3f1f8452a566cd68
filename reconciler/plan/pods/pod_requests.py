"""The further networks that a pod requests, and the addresses that it requests on its primary one.

Source: Kubernetes Network Custom Resource Definition De-facto Standard 1.3, "Pod Annotation"; Multus,
``v1.multus-cni.io/default-network``.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.base.object_names import is_dns1123_subdomain
from ovnguard.validators.network.declared.node_values import BadValueError, parse_ip
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.parse_values import dig

REQUESTS: Final = "k8s.v1.cni.cncf.io/networks"
DEFAULT_REQUEST: Final = "v1.multus-cni.io/default-network"
_MAX_TEXT: Final = 64 * 1024
_MAX_REQUESTS: Final = 32
_MAX_ADDRESSES: Final = 8


@dataclass(frozen=True, slots=True)
class Request:
    """One attachment, ``namespace/name``, and the addresses that the pod requests there."""

    attachment: str
    wanted: tuple[IPAddress, ...] = ()


def requests_of(text: object, namespace: str) -> Iterator[Request]:
    """Iterate over the requests in the annotation of a pod of ``namespace``. Raises BadValueError."""
    for entry in _entries(text):
        yield Request(_named(entry, namespace), () if isinstance(entry, str) else _wanted(entry))


def requested_attachments(text: object, namespace: str) -> Iterator[str]:
    """Iterate over the attachments that the annotation names, whatever it requests there. Raises BadValueError."""
    return (_named(entry, namespace) for entry in _entries(text))


def _entries(text: object) -> Sequence[object]:
    if text is None or text == "":
        return ()
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise BadValueError(f"must be text of at most {_MAX_TEXT} characters")
    entries = _listed(text) if text.lstrip().startswith("[") else text.split(",")
    if len(entries) > _MAX_REQUESTS:
        raise BadValueError(f"must name at most {_MAX_REQUESTS} networks")
    return entries


def _listed(text: str) -> list[object]:
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadValueError("must be JSON, or names separated by commas") from error
    if not isinstance(decoded, list) or not all(isinstance(each, dict) for each in decoded):
        raise BadValueError("must be a JSON list of objects")
    return decoded


def _named(entry: object, namespace: str) -> str:
    if not isinstance(entry, str):
        return _attachment(dig(entry, "namespace") or namespace, dig(entry, "name"))
    first, slash, rest = entry.strip().partition("/")
    place, name = (first, rest) if slash else (namespace, first)
    return _attachment(place, name.partition("@")[0])


def _wanted(entry: object) -> tuple[IPAddress, ...]:
    if dig(entry, "mac"):
        # MACs follow from addresses; a requested MAC must be in the record
        raise BadValueError("mac is not allocated: record it in k8s.ovn.org/pod-networks")
    texts = dig(entry, "ips") or []
    if not isinstance(texts, list) or len(texts) > _MAX_ADDRESSES:
        raise BadValueError(f"ips must be a list of at most {_MAX_ADDRESSES} addresses")
    return tuple(parse_ip(text.partition("/")[0] if isinstance(text, str) else text) for text in texts)


def _attachment(namespace: object, name: object) -> str:
    for each in (namespace, name):
        if not isinstance(each, str) or not is_dns1123_subdomain(each):
            raise BadValueError("every network must be name, namespace/name or namespace/name@interface")
    return f"{namespace}/{name}"
