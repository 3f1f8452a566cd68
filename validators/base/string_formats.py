"""String formats that schemas and the ``format`` library of CEL check alike.

Source: kube-openapi, package ``pkg/validation/strfmt``.
"""

import re
from typing import Final

from ovnguard.validators.go.time import DATE, BadTime, parse_time
from ovnguard.validators.lazy_pattern import lazy_pattern

_UUID: Final = lazy_pattern("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
_TIME: Final = lazy_pattern(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")


def is_uuid(text: str) -> bool:
    """A UUID of any version; the dashes are optional."""
    return _UUID.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """``2006-01-02``, a day that exists. As in Go, year 0 exists."""
    try:
        parse_time(text, DATE)
    except BadTime:
        return False
    return True


def is_date_time(text: str) -> bool:
    """RFC 3339 in upper or lower case, with any fraction. What follows a second ``t`` is ignored."""
    parts = text.lower().split("t")
    if len(parts) < 2 or not is_date(parts[0]):
        return False
    match = _TIME.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"
