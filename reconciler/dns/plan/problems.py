"""What keeps a name from being served, as values."""

from enum import StrEnum
from typing import Final, NamedTuple

from ovnguard.validators.go.text import quote

_SHOWN: Final = 80


class Reason(StrEnum):
    """The kind of a problem, for metrics and events."""

    INVALID_NAME = "InvalidName"
    INVALID_ADDRESS = "InvalidAddress"
    LOOP = "Loop"
    TOO_MANY = "TooManyAddresses"
    OTHER_ADDRESS = "OtherAddress"
    OTHER_PLATFORM = "OtherPlatform"
    UNSUPPORTED_PLATFORM = "UnsupportedPlatform"
    NOT_A_LOAD_BALANCER = "NotALoadBalancer"
    OTHER_DOMAIN = "OtherDomain"
    NO_UPSTREAM = "NoUpstream"
    REFUSED = "Refused"
    CONTRADICTION = "Contradiction"
    UNRESOLVED = "Unresolved"
    STALE_RECORD = "StaleRecord"
    STALE_ADDRESSES = "StaleAddresses"
    CLOUD_RECORD = "CloudRecord"


class Problem(NamedTuple):
    """One sentence about ``subject``, an object with its field."""

    reason: Reason
    subject: str
    text: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"


def shown(value: object) -> str:
    """Return a value of an object for a message: quoted, on one line and not longer than a line."""
    text = value if isinstance(value, str) else str(value)
    return quote(text[:_SHOWN])
