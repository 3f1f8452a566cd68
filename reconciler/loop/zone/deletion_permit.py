"""Whether somebody permits all deletions of a zone now."""

from datetime import datetime

from ovnguard.reconciler.loop.status.zone_texts import ALLOW
from ovnguard.validators.base.json_types import JsonObject


def deletions_allowed(node: JsonObject | None, now: datetime) -> bool:
    """Whether the annotation `ALLOW` of ``node`` permits all deletions now; an unreadable one permits none."""
    text = ((node or {}).get("metadata", {}).get("annotations") or {}).get(ALLOW)
    try:
        until = datetime.fromisoformat(text) if isinstance(text, str) else now
        return now < until
    except (ValueError, TypeError):
        # no time, or one without a zone
        return False
