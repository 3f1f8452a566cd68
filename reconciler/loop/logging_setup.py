"""Log lines for people or for machines, on standard error."""

import json
import logging
import sys
from datetime import UTC, datetime


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        value = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            value["traceback"] = self.formatException(record.exc_info)
        return json.dumps(value, ensure_ascii=False)


class TextFormatter(logging.Formatter):
    """Time, level, message. A line break inside a message cannot pretend to be another line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = f"{_time(record)} {record.levelname:<7} {message}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def set_up(*, as_json: bool, level: str) -> None:
    """Send our own log lines to standard error; libraries speak up from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for package in ("reconciler", "validators"):
        logging.getLogger(package).setLevel(level.upper())


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
