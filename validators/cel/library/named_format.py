"""Library ``format``: the named formats of Kubernetes, and the errors of a text under one.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes format library"; texts of apimachinery 0.35
``util/validation``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from ovnguard.validators.base.object_names import (
    dns1035_label,
    dns1123_label,
    dns1123_subdomain,
    label_value,
    qualified_name,
)
from ovnguard.validators.base.string_formats import is_date, is_date_time, is_uuid
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import NONE, Optional
from ovnguard.validators.go.base64 import is_base64
from ovnguard.validators.go.url import request_fault

Faults = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """A named format. ``max_regex_size`` decides its cost."""

    TYPE_NAME: ClassVar[str] = "kubernetes.NamedFormat"
    name: str
    faults: Faults
    max_regex_size: int

    def __str__(self) -> str:
        return self.name


def _prefix(faults: Faults) -> Faults:
    """Return the check for the start of a generated name: more text may follow a dash at the end."""

    def check(text: str) -> list[str]:
        return faults(f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text)

    return check


def _uri(text: str) -> list[str]:
    fault = request_fault(text)
    return [] if fault is None else [fault]


def _uuid(text: str) -> list[str]:
    return [] if is_uuid(text) else ["does not match the UUID format"]


def _byte(text: str) -> list[str]:
    return [] if is_base64(text) else ["invalid base64"]


def _date(text: str) -> list[str]:
    return [] if is_date(text) else ["invalid date"]


def _datetime(text: str) -> list[str]:
    return [] if is_date_time(text) else ["invalid datetime"]


FORMATS: Final = {
    "dns1123Label": Format("DNS1123Label", dns1123_label, 30),
    "dns1123Subdomain": Format("DNS1123Subdomain", dns1123_subdomain, 60),
    "dns1035Label": Format("DNS1035Label", dns1035_label, 30),
    "qualifiedName": Format("QualifiedName", qualified_name, 60),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", _prefix(dns1123_label), 30),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", _prefix(dns1123_subdomain), 60),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", _prefix(dns1035_label), 30),
    "labelValue": Format("LabelValue", label_value, 40),
    "uri": Format("URI", _uri, 1103),
    "uuid": Format("uuid", _uuid, 70),
    "byte": Format("byte", _byte, 84),
    "date": Format("date", _date, 71),
    "datetime": Format("datetime", _datetime, 71),
}


def named(name: str) -> Optional:
    """``format.named(name)``."""
    found = FORMATS.get(name)
    return NONE if found is None else Optional(present=True, value=found)


def validate(held: Format, text: str) -> Optional:
    """``format.validate(text)``: none if the text is valid, else its errors."""
    found = held.faults(text)
    return Optional(present=True, value=found) if found else NONE


def _constant(held: Format) -> Callable[[], Format]:
    return lambda: held


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("format-validate", "Format.validate(string) -> optional(list(string))", validate),
        overload("format-named", ":format.named(string) -> optional(Format)", named),
        *(overload(f"format.{name}", f":format.{name}() -> Format", _constant(held)) for name, held in FORMATS.items()),
    ]
