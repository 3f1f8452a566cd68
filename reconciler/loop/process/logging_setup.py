"""The log of the reconciler: lines on standard error, as text or as JSON."""

import logging
import sys

from ovnguard.validators.commandline.json_log import JsonFormatter, timestamp


class TextFormatter(logging.Formatter):
    """Time, level, message. Line breaks inside a message are escaped, so no message can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = f"{timestamp(record.created)} {record.levelname:<7} {message}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def set_up(*, as_json: bool, level: str) -> None:
    """Send ovnguard's log lines to standard error, and those of libraries from WARNING."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for package in ("ovnguard.reconciler", "ovnguard.validators"):
        logging.getLogger(package).setLevel(level.upper())
