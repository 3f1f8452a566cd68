"""Library ``format``: named formats of Kubernetes and what is wrong with a text under one.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes format library"; texts of apimachinery 0.35
``util/validation``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from validators.cel import time_values
from validators.cel.errors import EvalError
from validators.cel.json_values import decoded_base64
from validators.cel.library.url import request_fault
from validators.cel.overload_declaration import Overload, overload
from validators.cel.values import NONE, Optional

Faults = Callable[[str], list[str]]

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_NAME})?"
_UUID: Final = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
_LABEL_TEXT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character"
)
_LABEL_1035_TEXT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character"
)
_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character"
)
_NAME_TEXT: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_VALUE_TEXT: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character"
)


@dataclass(frozen=True, slots=True)
class Format:
    """A named format; ``max_regex_size`` is its price."""

    TYPE_NAME: ClassVar[str] = "kubernetes.NamedFormat"
    name: str
    faults: Faults
    max_regex_size: int

    def __str__(self) -> str:
        return self.name


def _regex_fault(said: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{said} (e.g. {shown}regex used for validation is '{pattern}')"


def _too_long(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def _pattern(text: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text, re.ASCII) is not None


def label(text: str) -> list[str]:
    """What is wrong with an RFC 1123 label."""
    found = [] if len(text.encode()) <= 63 else [_too_long(63)]
    if not _pattern(text, _LABEL):
        if _pattern(text, _SUBDOMAIN):
            return [*found, "must not contain dots"]
        found.append(_regex_fault(_LABEL_TEXT, _LABEL, "my-name", "123-abc"))
    return found


def subdomain(text: str) -> list[str]:
    """What is wrong with an RFC 1123 subdomain."""
    found = [] if len(text.encode()) <= 253 else [_too_long(253)]
    if not _pattern(text, _SUBDOMAIN):
        found.append(_regex_fault(_SUBDOMAIN_TEXT, _SUBDOMAIN.replace("\\.", "\\."), "example.com"))
    return found


def label_1035(text: str) -> list[str]:
    """What is wrong with an RFC 1035 label."""
    found = [] if len(text.encode()) <= 63 else [_too_long(63)]
    if not _pattern(text, _LABEL_1035):
        found.append(_regex_fault(_LABEL_1035_TEXT, _LABEL_1035, "my-name", "abc-123"))
    return found


def qualified_name(text: str) -> list[str]:
    """What is wrong with a label's key."""
    parts = text.split("/")
    found: list[str] = []
    name = parts[-1]
    if len(parts) == 2:
        if not parts[0]:
            found.append("prefix part must be non-empty")
        else:
            found += [f"prefix part {fault}" for fault in subdomain(parts[0])]
    elif len(parts) > 2:
        said = f"a qualified name {_NAME_TEXT}"
        fault = _regex_fault(said, _NAME, "MyName", "my.name", "123-abc")
        return [f"{fault} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    if not name:
        found.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        found.append(f"name part {_too_long(63, 'bytes')}")
    if not _pattern(name, _NAME):
        found.append(f"name part {_regex_fault(_NAME_TEXT, _NAME, 'MyName', 'my.name', '123-abc')}")
    return found


def label_value(text: str) -> list[str]:
    """What is wrong with a label's value."""
    found = [] if len(text.encode()) <= 63 else [_too_long(63, "bytes")]
    if not _pattern(text, _LABEL_VALUE):
        found.append(_regex_fault(_VALUE_TEXT, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return found


def _prefix(faults: Faults) -> Faults:
    """The same for the start of a generated name: a dash at the end may still be followed by something."""

    def check(text: str) -> list[str]:
        return faults(f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text)

    return check


def _uri(text: str) -> list[str]:
    fault = request_fault(text)
    return [] if fault is None else [fault]


def _uuid(text: str) -> list[str]:
    return [] if _UUID.fullmatch(text) else ["does not match the UUID format"]


def _byte(text: str) -> list[str]:
    try:
        decoded_base64(text)
    except EvalError:
        return ["invalid base64"]
    return []


def _date(text: str) -> list[str]:
    fine = len(text) == 10 and time_values.parse_instant(f"{text}T00:00:00Z") is not None
    return [] if fine else ["invalid date"]


def _datetime(text: str) -> list[str]:
    return [] if time_values.is_schema_time(text) else ["invalid datetime"]


FORMATS: Final = {
    "dns1123Label": Format("DNS1123Label", label, 30),
    "dns1123Subdomain": Format("DNS1123Subdomain", subdomain, 60),
    "dns1035Label": Format("DNS1035Label", label_1035, 30),
    "qualifiedName": Format("QualifiedName", qualified_name, 60),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", _prefix(label), 30),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", _prefix(subdomain), 60),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", _prefix(label_1035), 30),
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
    """``format.validate(text)``: none when the text is fine, else what is wrong with it."""
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
