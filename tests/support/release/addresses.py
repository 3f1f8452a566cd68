"""Where ovnguard is published, as release.toml says, and the words that stand for it on pages and in manifests."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FILE: Final = "release.toml"
WORDS: Final[Mapping[str, str]] = {"repository": "REPOSITORY", "registry": "REGISTRY"}
"""What stands for each setting."""


def addresses(root: Path) -> dict[str, str]:
    """The settings by name, each "" if it is not set. Raises ValueError for a file with other settings."""
    found = tomllib.loads((root / FILE).read_text(encoding="utf-8"))
    if found.keys() != WORDS.keys() or not all(isinstance(each, str) for each in found.values()):
        raise ValueError(f"{FILE}: it has the settings {' and '.join(WORDS)}, both texts, and no other")
    return found


def filled_in(text: str, found: Mapping[str, str]) -> str:
    """The text with each word replaced by its setting; the word of a setting that is empty stays."""
    for name, word in WORDS.items():
        text = text.replace(word, found[name] or word)
    return text
