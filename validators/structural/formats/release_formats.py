"""The string formats that the API server checks, by release.

Source: apiextensions-apiserver, ``pkg/apiserver/validation/formats.go``; kube-openapi, ``pkg/validation/strfmt``.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from ovnguard.validators.go.url import STRICT_SINCE
from ovnguard.validators.structural.formats import format_checks as checks
from ovnguard.validators.structural.formats import number_ranges

Check = Callable[[str], bool]
Types = tuple[str, ...]

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
_STRICT_URI: Final = partial(checks.is_request_uri, strict=True)
_SINCE: Final = {"k8slongname": 34, "k8sshortname": 34}
_NUMBER_FORMATS: Final = {("integer",): ("int32", "int64"), ("number",): ("float", "double")}


@lru_cache(maxsize=32)
def formats_of(minor: int) -> "Formats":
    """Return the formats of a release by its minor number, as one shared object."""
    return Formats(minor)


class Formats:
    """The formats of one release. ``minor`` is its minor number.

    From 1.36 on, a number can have a format of numbers; only a text, or a node of no or two types, one of texts.
    """

    __slots__ = ("_keeps_all", "_known", "limits_numbers", "minor")

    def __init__(self, minor: int, *, keeps_all: bool = False) -> None:
        self._known = {name: check for name, check in _CHECKS.items() if keeps_all or _SINCE.get(name, 0) <= minor}
        if minor >= STRICT_SINCE:
            self._known["uri"] = _STRICT_URI
        self._keeps_all = keeps_all
        self.minor = minor
        self.limits_numbers = minor >= number_ranges.SINCE

    @classmethod
    def all(cls, minor: int) -> "Formats":
        """All known formats, and the names of unknown ones: defaults are checked against these."""
        return cls(minor, keeps_all=True)

    def checker(self, name: str, types: Types = ()) -> Check | None:
        """Return the check of a text in a format, or None if this release does not check it for these types.

        Dashes in the name are ignored.
        """
        return self._known.get(name.replace("-", "")) if self.kept(name, types) else None

    def kept(self, name: str, types: Types = ()) -> str:
        """Return the name unchanged if this release knows it for a node of these types, else ""."""
        return name if name and (self._keeps_all or self._knows(name, types)) else ""

    def _knows(self, name: str, types: Types) -> bool:
        if self.limits_numbers and len(types) == 1 and types != ("string",):
            return name in _NUMBER_FORMATS.get(types, ())
        return name.replace("-", "") in self._known
