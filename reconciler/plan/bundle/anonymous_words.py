"""Words of names under other letters: two words that begin alike still do, and a word keeps its length.

OVN-Kubernetes joins names with separators, converts separators, and cuts long names off. A cipher that replaces each
character by one of its kind, as a keyed function of the characters before it decides, gives the same in any order of
these steps; so names in databases are what a plan of the renamed objects computes.
"""

from hashlib import blake2b
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

_ALPHABETS: Final = {each: alphabet for alphabet in (ascii_lowercase, ascii_uppercase, digits) for each in alphabet}


class Words:
    """Replaces words by a key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: dict[str, str] = {}

    def word(self, word: str) -> str:
        """Return the word in the place of ``word``, which has letters and digits; every character changes."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = "".join(self._other(word[:at], each) for at, each in enumerate(word))
        return found

    def _other(self, before: str, character: str) -> str:
        alphabet = _ALPHABETS.get(character, ascii_lowercase)
        place = alphabet.find(character)
        digest = blake2b(before.encode(), key=self._key, digest_size=4).digest()
        return alphabet[(place + 1 + int.from_bytes(digest) % (len(alphabet) - 1)) % len(alphabet)]
