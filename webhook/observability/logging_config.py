"""The logging of the webhook: JSON lines on standard error, including gunicorn's."""

from typing import Any

from ovnguard.validators.commandline.json_log import JsonFormatter


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
