"""The names of a cluster that users and nodes need, and which of them CoreDNS on the nodes answers.

Source: OpenShift enhancement "BYO custom DNS", 'Workflow Description': ``*.apps`` alone; machine-config-operator,
``templates/common/cloud-platform-alt-dns``: also ``api`` and ``api-int``.
"""

import re
from enum import StrEnum
from typing import Final

from ovnguard.validators.base.object_names import is_dns1123_subdomain

API: Final = "api"
API_INT: Final = "api-int"
APPS: Final = "*.apps"
# A name below *.apps needs at least this much room within the 253 characters of a DNS name.
_LONGEST_DOMAIN: Final = 253 - len("x.apps.")
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")


class Dialect(StrEnum):
    """The API in which the cluster records that the user manages DNS."""

    PROPOSED = "proposed"
    RELEASED = "released"


SERVED: Final = {Dialect.PROPOSED: (APPS,), Dialect.RELEASED: (APPS, API, API_INT)}
"""The names that CoreDNS on the nodes answers, in the order of its configuration."""


def is_base_domain(text: str) -> bool:
    """Whether ``text`` can be the domain that contains all names of a cluster."""
    return len(text) <= _LONGEST_DOMAIN and is_dns1123_subdomain(text) and _labels_fit(text)


def canonical_name(text: str) -> str:
    """Return a host name in lower case without the final dot, or the empty string when it is none.

    Underscores are valid, as in DNS; an address is not a name.
    """
    name = text.lower().removesuffix(".") if text.isascii() else ""
    labels = name.split(".")
    return name if len(name) <= 253 and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdigit() else ""


def is_served(name: str, base_domain: str, dialect: Dialect) -> bool:
    """Whether CoreDNS on the nodes itself answers ``name``, a canonical one."""
    served = SERVED[dialect]
    return any(
        name.endswith(f".apps.{base_domain}") if each == APPS else name == f"{each}.{base_domain}" for each in served
    )


def _labels_fit(name: str) -> bool:
    return all(len(label) <= 63 for label in name.split("."))
