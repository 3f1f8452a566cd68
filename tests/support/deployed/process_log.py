"""The log of a process under test, one JSON object on each line."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

STARTING: Final = "storage is (re)initializing"
"""What an API server answers for a moment after it starts, or after a definition came back (429)."""
_QUIET: Final = ("DEBUG", "INFO")


def messages(*files: Path) -> list[str]:
    """What processes logged, file by file."""
    return [line["message"] for line in _lines(files)]


def complaints(files: Iterable[Path], *words: str) -> list[str]:
    """The warnings and errors that have one of ``words``, without those about an API server that starts."""
    loud = (line["message"] for line in _lines(files) if line["level"].upper() not in _QUIET)
    return [text for text in loud if STARTING not in text and any(word in text for word in words)]


def _lines(files: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
