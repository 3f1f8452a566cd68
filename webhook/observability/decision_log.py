"""The log line of a decision: who asked, what about, and why it was answered so; never an object's body.

It is written for every request, so where it goes nowhere but to our own handler it is put together as text; everywhere
else it is a log record with the same members. Tests hold the two against each other.
"""

import logging
import time
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Final

from webhook.admission.handlers import Decision, name_of
from webhook.observability.json_logging import lonely_handler, timestamp

log = logging.getLogger("ovnguard.webhook")
MAX_LOGGED: Final = 256
"""Characters of whatever comes from outside."""
_ALLOWED: Final = frozenset({"allowed", "patched"})


def log_decisions(decisions: Sequence[Decision]) -> None:
    """Write one line for each."""
    if not log.isEnabledFor(logging.INFO):
        return
    handler = lonely_handler(log)
    if handler is not None and handler.level <= logging.INFO:
        handler.lines([_line(decision) for decision in decisions])
        return
    for decision in decisions:
        more = {"fields": fields(decision)}
        # as log.info does, but without looking for the line of this file, which no one wants to know
        log.handle(log.makeRecord(log.name, logging.INFO, __file__, 0, "decision", (), None, extra=more))


def fields(decision: Decision) -> dict[str, Any]:
    """Return the members of the line after ``message``."""
    path, review, outcome, seconds = decision
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
        "verdict": outcome.verdict,
        "allowed": outcome.verdict in _ALLOWED,
        "patched": outcome.verdict == "patched",
        "reason": outcome.reason,
        "rules": list(outcome.rules),
        "ms": round(seconds * 1000, 3),
    }


def _line(decision: Decision) -> str:
    path, review, outcome, seconds = decision
    verdict = outcome.verdict
    return (
        f'{{"time": "{timestamp(time.time())}", "level": "info", "logger": "ovnguard.webhook", "message": "decision", '
        f'"path": {quoted(path[:MAX_LOGGED])}, '
        f'"uid": {quoted(review.uid[:MAX_LOGGED])}, '
        f'"gvk": {quoted(str(review.kind)[:MAX_LOGGED])}, '
        f'"namespace": {quoted(review.namespace[:MAX_LOGGED])}, '
        f'"name": {quoted(name_of(review)[:MAX_LOGGED])}, '
        f'"operation": "{review.operation}", '
        f'"subresource": {quoted(review.sub_resource[:MAX_LOGGED])}, '
        f'"user": {quoted(str(review.user_info.get("username", ""))[:MAX_LOGGED])}, '
        f'"dryRun": {"true" if review.dry_run else "false"}, '
        f'"verdict": "{verdict}", '
        f'"allowed": {"true" if verdict in _ALLOWED else "false"}, '
        f'"patched": {"true" if verdict == "patched" else "false"}, '
        f'"reason": {quoted(outcome.reason)}, '
        f'"rules": [{", ".join(map(quoted, outcome.rules))}], '
        f'"ms": {round(seconds * 1000, 3)!r}}}'
    )
