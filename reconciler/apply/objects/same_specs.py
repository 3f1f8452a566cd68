"""Whether an observed spec means the same as a desired one.

The API server fills in defaults, and Go's encoder empty structures: neither is drift. A full mesh of 500 nodes has a
quarter of a million neighbours, so a comparison is not repeated for the same two versions.
"""

from collections.abc import Collection
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject

_DEFAULTS: Final = {
    "addressFamilies": ["unicast"],
    "disableMP": False,
    "dualStackAddressFamily": False,
    "mode": "filtered",
}
"""What the API server fills in. Source: frr-k8s, definition of FRRConfiguration."""
_ABSENT: Final = object()


class SameSpecs:
    """The observed versions that mean the same as a desired spec, by UID."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Any]] = {}

    def same(self, spec: Any, observed: JsonObject) -> bool:
        """Return whether the spec of ``observed`` means the same as ``spec``."""
        metadata = observed["metadata"]
        uid, version = str(metadata.get("uid")), str(metadata.get("resourceVersion"))
        before = self._known.get(uid)
        if before is not None and before[0] == version and before[1] == spec:
            return True
        found = means_same(spec, observed.get("spec"))
        if found:
            self._known[uid] = (version, spec)
        return found

    def forget_others(self, uids: Collection[str]) -> None:
        """Forget objects that are not among ``uids``."""
        self._known = {uid: known for uid, known in self._known.items() if uid in uids}


def means_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values differ at most in what means nothing: nulls, empty objects, defaults."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            found = other.get(key, _ABSENT)
            if not (_is_nothing(key, value) if found is _ABSENT else means_same(value, found)):
                return False
        return all(key in one or _is_nothing(key, value) for key, value in other.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(means_same, one, other))
    return bool(one == other)


def _is_nothing(key: str, value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_nothing(name, each) for name, each in value.items())
    return value is None or (key in _DEFAULTS and value == _DEFAULTS[key])
