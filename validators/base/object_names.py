"""Checks of object names, label keys and label values. Each returns the API server's messages, an empty list if valid.

Source: apimachinery, packages ``util/validation``, ``api/validate/content`` and ``api/validation/path``. Limits count
bytes, although the messages of the DNS rules in 1.35 say characters.
"""

import re
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_KEY})?"

_IS_LABEL: Final = lazy_pattern(_LABEL)
_IS_SUBDOMAIN: Final = re.compile(_SUBDOMAIN)
_IS_LABEL_1035: Final = lazy_pattern(_LABEL_1035)
_IS_KEY: Final = re.compile(_KEY)
_IS_VALUE: Final = lazy_pattern(_VALUE)

_ENDS: Final = "and must start and end with an alphanumeric character"
_LABEL_RULE: Final = (
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', {_ENDS}"
    f" (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_RULE: Final = (
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', {_ENDS}"
    f" (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_LABEL_1035_RULE: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character"
    f" (e.g. 'my-name',  or 'abc-123', regex used for validation is '{_LABEL_1035}')"
)
_KEY_RULE: Final = (
    f"must consist of alphanumeric characters, '-', '_' or '.', {_ENDS}"
    f" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_KEY}')"
)
_VALUE_RULE: Final = (
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', {_ENDS}"
    f" (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE}')"
)


def is_dns1123_label(value: str) -> bool:
    """Return whether the text is an RFC 1123 label, as the name of a namespace is."""
    return len(value) <= 63 and _IS_LABEL.fullmatch(value) is not None


def is_dns1123_subdomain(value: str) -> bool:
    """Return whether the text is an RFC 1123 subdomain, as the names of most objects are."""
    return len(value) <= 253 and _IS_SUBDOMAIN.fullmatch(value) is not None


def is_label_key(value: str) -> bool:
    """Return whether the text is the key of a label or annotation: ``name`` or ``dns.subdomain/name``."""
    return not label_key(value)


def is_label_value(value: str) -> bool:
    """Return whether the text is the value of a label."""
    return len(value) <= 63 and _IS_VALUE.fullmatch(value) is not None


def dns1123_label(value: str) -> list[str]:
    """Check a lower-case label of at most 63 bytes."""
    errors = _too_long(value, 63, "characters")
    if not _IS_LABEL.fullmatch(value):
        errors.append("must not contain dots" if _IS_SUBDOMAIN.fullmatch(value) else _LABEL_RULE)
    return errors


def dns1123_subdomain(value: str, unit: str = "characters") -> list[str]:
    """Check dotted lower-case labels of at most 253 bytes, which names of custom resources must be."""
    errors = _too_long(value, 253, unit)
    if not _IS_SUBDOMAIN.fullmatch(value):
        errors.append(_SUBDOMAIN_RULE)
    return errors


def dns1035_label(value: str) -> list[str]:
    """Check a lower-case label of at most 63 bytes that starts with a letter."""
    errors = _too_long(value, 63, "characters")
    if not _IS_LABEL_1035.fullmatch(value):
        errors.append(_LABEL_1035_RULE)
    return errors


def label_key(value: str) -> list[str]:
    """Check the key of a label or annotation: ``name`` or ``dns.subdomain/name``."""
    return _qualified(value, "a valid label key", "bytes")


def qualified_name(value: str) -> list[str]:
    """Check the same with the messages of ``util/validation``."""
    return _qualified(value, "a qualified name", "characters")


def _qualified(value: str, called: str, unit: str) -> list[str]:
    prefix, slash, name = value.partition("/")
    if "/" in name:
        return [f"{called} {_KEY_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    errors = []
    if not slash:
        name = prefix
    elif not prefix:
        errors.append("prefix part must be non-empty")
    else:
        errors.extend(f"prefix part {message}" for message in dns1123_subdomain(prefix, unit))
    if not name:
        errors.append("name part must be non-empty")
    errors.extend(f"name part {message}" for message in _too_long(name, 63, "bytes"))
    if not _IS_KEY.fullmatch(name):
        errors.append(f"name part {_KEY_RULE}")
    return errors


def label_value(value: str) -> list[str]:
    """Check a label value: empty, or a name of at most 63 bytes."""
    errors = _too_long(value, 63, "bytes")
    if not _IS_VALUE.fullmatch(value):
        errors.append(_VALUE_RULE)
    return errors


def path_segment(value: str, prefix: bool = False) -> list[str]:
    """Check a name that can be in a URL path. A prefix may be ``.`` or ``..``."""
    if not prefix and value in {".", ".."}:
        return [f"may not be '{value}'"]
    return [f"may not contain '{illegal}'" for illegal in "/%" if illegal in value]


def resource_name(value: str, prefix: bool = False) -> list[str]:
    """Check ``metadata.name`` of a custom resource, or with ``prefix`` its ``metadata.generateName``."""
    # A prefix may end in a dash. The API server replaces the last two characters with an "a" before it checks.
    if prefix and len(value.encode()) > 1 and value.endswith("-"):
        value = value[:-2] + "a"
    return dns1123_subdomain(value)


def _too_long(value: str, limit: int, unit: str) -> list[str]:
    size = len(value) if value.isascii() else len(value.encode(errors="replace"))
    return [f"must be no more than {limit} {unit}"] if size > limit else []
