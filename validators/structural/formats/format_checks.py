"""The checks of string formats: each function returns whether a text has the format.

Source: kube-openapi, packages ``pkg/validation/strfmt`` and ``pkg/internal/third_party/govalidator``, and the parts of
Go's standard library and k8s.io/utils/net that they call.
"""

import re
from typing import Final

from ovnguard.validators.base.object_names import is_dns1123_label, is_dns1123_subdomain
from ovnguard.validators.base.string_formats import is_date, is_date_time, is_uuid
from ovnguard.validators.go.address import is_cidr, is_ipv4, is_ipv6, is_mac
from ovnguard.validators.go.base64 import is_base64
from ovnguard.validators.go.duration import amounts_with_units, parse_duration
from ovnguard.validators.go.integers import BadNumber
from ovnguard.validators.go.mail import is_email
from ovnguard.validators.go.url import is_request_uri
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.structural.schema.patterns import compile_pattern

__all__ = [
    "is_base64",
    "is_cidr",
    "is_date",
    "is_date_time",
    "is_email",
    "is_ipv4",
    "is_ipv6",
    "is_mac",
    "is_request_uri",
    "is_uuid",
]

_HEX: Final = "[0-9a-f]"
_UUID3: Final = lazy_pattern(f"{_HEX}{{8}}-?{_HEX}{{4}}-?3{_HEX}{{3}}-?{_HEX}{{4}}-?{_HEX}{{12}}", re.IGNORECASE)
_UUID4: Final = lazy_pattern(f"{_HEX}{{8}}-?{_HEX}{{4}}-?4{_HEX}{{3}}-?[89ab]{_HEX}{{3}}-?{_HEX}{{12}}", re.IGNORECASE)
_UUID5: Final = lazy_pattern(f"{_HEX}{{8}}-?{_HEX}{{4}}-?5{_HEX}{{3}}-?[89ab]{_HEX}{{3}}-?{_HEX}{{12}}", re.IGNORECASE)
_CARD: Final = lazy_pattern(
    "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)
_BYTE_NUMBER: Final = r"(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])"
_SPACE: Final = r"[\t\n\f\r ]*"
_RGB: Final = lazy_pattern(
    rf"rgb\({_SPACE}{_BYTE_NUMBER}{_SPACE},{_SPACE}{_BYTE_NUMBER}{_SPACE},{_SPACE}{_BYTE_NUMBER}{_SPACE}\)"
)
_SSN: Final = lazy_pattern("[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}")
_HEX_COLOR: Final = lazy_pattern("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_ISBN10: Final = lazy_pattern("[0-9]{9}X|[0-9]{10}")
_ISBN13: Final = lazy_pattern("[0-9]{13}")
_HOSTNAME: Final = (
    r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)"
    r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}"
    r"([a-zA-Z\p{L}]){2,63})$"
)


def is_uuid3(text: str) -> bool:
    """A UUID of version 3."""
    return _UUID3.fullmatch(text) is not None


def is_uuid4(text: str) -> bool:
    """A UUID of version 4."""
    return _UUID4.fullmatch(text) is not None


def is_uuid5(text: str) -> bool:
    """A UUID of version 5."""
    return _UUID5.fullmatch(text) is not None


def is_bson_object_id(text: str) -> bool:
    """24 hexadecimal digits."""
    return re.fullmatch("[0-9a-fA-F]{24}", text) is not None


def is_password(text: str) -> bool:
    """Anything."""
    return True


def is_credit_card(text: str) -> bool:
    """A card number of a large issuer with its check digit. Other characters between the digits are ignored."""
    digits = re.sub("[^0-9]+", "", text)
    if _CARD.fullmatch(digits) is None:
        return False
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits))]
    return sum(number % 10 + number // 10 for number in doubled) % 10 == 0


def is_ssn(text: str) -> bool:
    """A social security number with both separators: 11 bytes."""
    return len(text) == 11 and _SSN.fullmatch(text) is not None


def is_hex_color(text: str) -> bool:
    """Three or six hexadecimal digits, with or without ``#``."""
    return _HEX_COLOR.fullmatch(text) is not None


def is_rgb_color(text: str) -> bool:
    """``rgb(0, 31, 255)``."""
    return _RGB.fullmatch(text) is not None


def is_isbn(text: str) -> bool:
    """An ISBN of 10 or 13 digits."""
    return is_isbn10(text) or is_isbn13(text)


def is_isbn10(text: str) -> bool:
    """An ISBN of 10 digits, of which the last may be X. Spaces and dashes are ignored."""
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if _ISBN10.fullmatch(digits) is None:
        return False
    numbers = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((index + 1) * number for index, number in enumerate(numbers)) % 11 == 0


def is_isbn13(text: str) -> bool:
    """An ISBN of 13 digits. Spaces and dashes are ignored."""
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if _ISBN13.fullmatch(digits) is None:
        return False
    checksum = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - checksum % 10) % 10


def is_short_name(text: str) -> bool:
    """A DNS-1123 label."""
    return is_dns1123_label(text)


def is_long_name(text: str) -> bool:
    """A DNS-1123 subdomain."""
    return is_dns1123_subdomain(text)


def is_hostname(text: str) -> bool:
    """Labels of letters, digits, symbols and dashes. If there is more than one, the last has at least two letters."""
    if compile_pattern(_HOSTNAME)(text) is None or len(text.encode(errors="replace")) > 255:
        return False
    return all(len(label.encode(errors="replace")) <= 63 for label in text.split("."))


def is_duration(text: str) -> bool:
    """A Go duration, or any text that contains a number with a unit up to weeks."""
    if parse_duration(text) is not None:
        return True
    try:
        return any(unit for _, unit in amounts_with_units(text))
    except BadNumber:
        return False
