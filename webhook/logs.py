"""Log lines as JSON on standard error, one object per line, gunicorn's own included."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

# made once: json.dumps with an argument makes an encoder for every line
_encode = json.JSONEncoder(default=str).encode


class JsonFormatter(logging.Formatter):
    """``time``, ``level``, ``logger``, ``message``, then the members of the record's ``fields``, then ``exception``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line; line breaks inside values are escaped by JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _encode(line)


def logging_config(level: str = "INFO") -> dict[str, Any]:
    """Return the `logging.config.dictConfig` mapping: everything to standard error through `JsonFormatter`."""
    quiet = {"level": level, "handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonFormatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {"ovnguard": quiet, "gunicorn.error": quiet, "gunicorn.access": {**quiet, "level": "WARNING"}},
    }
