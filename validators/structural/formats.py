"""The string formats that the API server checks, by release.

Source: apiextensions-apiserver, ``pkg/apiserver/validation/formats.go``; kube-openapi, ``pkg/validation/strfmt``.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from validators.structural import format_checks as checks

Check = Callable[[str], bool]

_CHECKS: Final[dict[str, Check]] = {
    "bsonobjectid": checks.is_bson_object_id,
    "byte": checks.is_base64,
    "cidr": checks.is_cidr,
    "creditcard": checks.is_credit_card,
    "date": checks.is_date,
    "datetime": checks.is_date_time,
    "duration": checks.is_duration,
    "email": checks.is_email,
    "hexcolor": checks.is_hex_color,
    "hostname": checks.is_hostname,
    "ipv4": checks.is_ipv4,
    "ipv6": checks.is_ipv6,
    "isbn": checks.is_isbn,
    "isbn10": checks.is_isbn10,
    "isbn13": checks.is_isbn13,
    "k8slongname": checks.is_long_name,
    "k8sshortname": checks.is_short_name,
    "mac": checks.is_mac,
    "password": checks.is_password,
    "rgbcolor": checks.is_rgb_color,
    "ssn": checks.is_ssn,
    "uri": checks.is_request_uri,
    "uuid": checks.is_uuid,
    "uuid3": checks.is_uuid3,
    "uuid4": checks.is_uuid4,
    "uuid5": checks.is_uuid5,
}
_SINCE: Final = {"k8slongname": 34, "k8sshortname": 34}


@lru_cache(maxsize=32)
def formats_of(minor: int) -> "Formats":
    """Return the formats of a release by its minor number, as one shared object."""
    return Formats(minor)


class Formats:
    """The formats of one release. ``minor`` is its minor number."""

    __slots__ = ("_keeps_all", "_known")

    def __init__(self, minor: int, *, keeps_all: bool = False) -> None:
        self._known = {name: check for name, check in _CHECKS.items() if _SINCE.get(name, 0) <= minor}
        self._keeps_all = keeps_all

    @classmethod
    def all(cls) -> "Formats":
        """All known formats, and the names of unknown ones: defaults are checked against these."""
        return cls(max(_SINCE.values()), keeps_all=True)

    def checker(self, name: str) -> Check | None:
        """Return the check of a format, or None if this release does not check it. Dashes in the name are ignored."""
        return self._known.get(name.replace("-", ""))

    def kept(self, name: str) -> str:
        """Return the name unchanged if this release knows it, else ""."""
        return name if self._keeps_all or (name and name.replace("-", "") in self._known) else ""
