"""The order of API versions: v10 before v2 before v1 before v1beta2, and everything else last, by name.

Source: apimachinery, package ``pkg/version`` (CompareKubeAwareVersionStrings).
"""

import re
from typing import Final

_VERSION: Final = re.compile("v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


def priority(version: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """A key: the larger, the newer the version."""
    match = _VERSION.fullmatch(version)
    if match is None:
        # Names that are no versions are ordered by name, the first one being the newest.
        return (0, 0, 0, 0, (*(-ord(char) for char in version), 1))
    return (1, _STAGES[match[2]], int(match[1]), int(match[3] or 0), ())
