"""Log lines as JSON, the same members in every executable: one object per line."""

import json
import logging
from datetime import UTC, datetime
from typing import Any


class JsonFormatter(logging.Formatter):
    """``time``, ``level``, ``logger``, ``message``, then the members of the record's ``fields``, then ``exception``.

    ``exception`` holds the traceback. A record gets ``fields`` by ``extra={"fields": {...}}``.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line; JSON escapes the line breaks inside values."""
        line: dict[str, Any] = {
            "time": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def timestamp(seconds: float) -> str:
    """Return a time, in seconds since 1970, as RFC 3339 has it: UTC, milliseconds, ``Z``."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
