"""The log line of a decision: the user, the object, the answer and its reason, but never an object's body."""

import logging
from typing import Any, Final

from ovnguard.webhook.admission.handlers import Decision, name_of

log = logging.getLogger("ovnguard.webhook")
MAX_LOGGED: Final = 256
"""The maximum length of external texts, in characters."""
_ALLOWED: Final = frozenset({"allowed", "patched"})


def log_decision(decision: Decision) -> None:
    """Write the line."""
    log.info("decision", extra={"fields": fields(decision)})


def fields(decision: Decision) -> dict[str, Any]:
    """Return the members of the line after ``message``."""
    path, review, answer, seconds = decision
    texts = {
        "path": path,
        "uid": review.uid,
        "gvk": str(review.kind),
        "namespace": review.namespace,
        "name": name_of(review),
        "operation": str(review.operation),
        "subresource": review.sub_resource,
        "user": str(review.user_info.get("username", "")),
    }
    return {key: value[:MAX_LOGGED] for key, value in texts.items()} | {
        "dryRun": review.dry_run,
        "verdict": answer.verdict,
        "allowed": answer.verdict in _ALLOWED,
        "patched": answer.verdict == "patched",
        "reason": answer.reason,
        "rules": list(answer.rules),
        "ms": round(seconds * 1000, 3),
    }
