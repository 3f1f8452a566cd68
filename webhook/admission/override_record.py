"""Records on the ConfigMap of an interconnect upgrade who skipped a phase, and when.

Both annotations are the webhook's: what a request writes there has no effect. The next request that skips a phase
replaces them; all others leave them as they are.
"""

from collections.abc import Mapping, Set
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.operators import is_operator
from ovnguard.validators.network.ovnkube_settings.interconnect import (
    OVERRIDDEN_AT,
    OVERRIDDEN_BY,
    Mode,
    is_configuration,
    mode_of,
)
from ovnguard.validators.network.parse_values import mapping, text_of

_KEYS: Final = (OVERRIDDEN_BY, OVERRIDDEN_AT)
_SKIPS: Final = frozenset({Mode.SKIP, Mode.FAST})
# The API server may call a second time for the same request.
_SAME_REQUEST: Final = timedelta(minutes=1)


def is_recorded(obj: JsonObject) -> bool:
    """Whether ``obj`` is the ConfigMap of an upgrade."""
    return obj.get("kind") == "ConfigMap" and is_configuration(obj)


def with_override_record(
    obj: JsonObject, old: JsonObject | None, user: str, operators: Set[str], now: datetime
) -> JsonObject:
    """Return the ConfigMap ``obj`` with the record, or ``obj`` itself when nothing changes.

    ``old`` is the stored object of an update. The operator's own second phase looks like the earlier override; it is
    none.
    """
    annotations, stored = mapping(obj, "metadata", "annotations"), mapping(old, "metadata", "annotations")
    mode = mode_of(obj)
    skips = mode in _SKIPS and mode is not mode_of(old) and not is_operator(user, operators)
    record = _record(annotations, user, now) if skips else {key: stored[key] for key in _KEYS if key in stored}
    if {key: annotations[key] for key in _KEYS if key in annotations} == record:
        return obj
    kept = {key: value for key, value in annotations.items() if key not in _KEYS}
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**kept, **record}}}


def _record(annotations: Mapping[str, Any], user: str, now: datetime) -> dict[str, Any]:
    at = _time(annotations.get(OVERRIDDEN_AT))
    if annotations.get(OVERRIDDEN_BY) == user and at is not None and timedelta() <= now - at <= _SAME_REQUEST:
        return {key: annotations[key] for key in _KEYS}
    return {OVERRIDDEN_BY: user, OVERRIDDEN_AT: now.strftime("%Y-%m-%dT%H:%M:%SZ")}


def _time(value: object) -> datetime | None:
    try:
        return datetime.strptime(text_of(value), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
