"""Log lines as JSON on standard error, one object per line, gunicorn's own included."""

import json
import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from select import PIPE_BUF
from typing import Any

# made once: json.dumps with an argument makes an encoder for every line
_encode = json.JSONEncoder(default=str).encode


class JsonFormatter(logging.Formatter):
    """``time``, ``level``, ``logger``, ``message``, then the members of the record's ``fields``, then ``exception``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line; line breaks inside values are escaped by JSON."""
        line: dict[str, Any] = {
            "time": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _encode(line)


class LineHandler(logging.StreamHandler[Any]):
    """A `logging.StreamHandler` that takes finished lines as well."""

    def lines(self, texts: Iterable[str]) -> None:
        """Write ASCII lines as if they had been records. What goes wrong goes where it goes for records.

        As many at once as a pipe takes without mixing them with what other processes write.
        """
        text = ""
        self.acquire()
        try:
            for each in texts:
                if text and len(text) + len(each) >= PIPE_BUF:
                    self.stream.write(text)
                    self.flush()
                    text = ""
                text += each + self.terminator
            self.stream.write(text)
            self.flush()
        except (OSError, ValueError):
            self.handleError(logging.makeLogRecord({"msg": text}))
        finally:
            self.release()


def timestamp(seconds: float) -> str:
    """Return a time, in seconds since 1970, as ISO 8601 in UTC with milliseconds."""
    whole = int(seconds)
    return f"{_second(whole)}.{int((seconds - whole) * 1000):03d}+00:00"


@lru_cache(maxsize=2)
def _second(whole: int) -> str:
    return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def lonely_handler(logger: logging.Logger) -> LineHandler | None:
    """Return the handler of a logger if it is the only one and writes lines as `logging_config` wants them."""
    found: list[logging.Handler] = []
    each: logging.Logger | None = logger
    while each is not None:
        found += each.handlers
        each = each.parent if each.propagate else None
    if len(found) != 1 or logger.filters:
        return None
    only = found[0]
    if not isinstance(only, LineHandler) or not isinstance(only.formatter, JsonFormatter) or only.filters:
        return None
    return only


def logging_config(level: str = "INFO") -> dict[str, Any]:
    """Return the `logging.config.dictConfig` mapping: everything to standard error through `JsonFormatter`."""
    quiet = {"level": level, "handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonFormatter}},
        "handlers": {"stderr": {"()": LineHandler, "formatter": "json", "stream": "ext://sys.stderr"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {"ovnguard": quiet, "gunicorn.error": quiet, "gunicorn.access": {**quiet, "level": "WARNING"}},
    }
