"""Texts under other names and addresses: what a text says about the product stays, everything else changes."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import ip_interface
from typing import Final

from ovnguard.reconciler.plan.bundle.anonymous_addresses import Addresses
from ovnguard.reconciler.plan.bundle.anonymous_words import Words
from ovnguard.reconciler.plan.bundle.kept_words import KEPT_WORDS
from ovnguard.validators.network.addresses.addressing import IPInterface

_PARTS: Final = re.compile(
    r"""
    (?P<kept>\\u[0-9a-fA-F]{4}|\\.                                              # an escape in a JSON text
     |[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}              # a UUID
     |[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z?)     # a time
    |(?P<mac>(?<![0-9A-Fa-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9A-Fa-f:]))
    |(?P<ip>(?<![0-9A-Za-z.])(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\.?[0-9])|
            [0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]*:[0-9A-Fa-f]{0,4}(?![0-9A-Za-z:]))(?:/[0-9]{1,3})?)
    |(?P<dashed>(?<![0-9])[0-9]{1,3}(?:-[0-9]{1,3}){3}(?![0-9]))                # in a name, such as ip-10-0-1-2
    |(?P<dotted>(?<![0-9A-Za-z.\[])[0-9a-f]{1,4}(?:\.[0-9a-f]{1,4})*             # IPv6 in an id, with points
            (?:\.\.[0-9a-f.]*|(?:\.[0-9a-f]{1,4}){7})(?![0-9A-Za-z])(?:/[0-9]{1,3})?)
    |(?P<word>[^\W_]+)
    """,
    re.VERBOSE,
)
# How an address is written in a name, in place of its own separator.
_WRITTEN: Final = {"dashed": ("-", "."), "dotted": (".", ":")}
_WORD: Final = re.compile(r"[^\W_]+")


class Texts:
    """Renames what is in texts; ``hashed`` are names that are hashes of other names, with their new hashes."""

    def __init__(self, addresses: Addresses, words: Words, hashed: Mapping[str, str] | None = None) -> None:
        self._addresses, self._words = addresses, words
        self._hashed = {} if hashed is None else hashed
        self.text: Callable[[str], str] = lru_cache(1 << 16)(self._text)

    def with_hashes(self, hashed: Mapping[str, str]) -> "Texts":
        """Return the same renaming with other hashes."""
        return Texts(self._addresses, self._words, hashed)

    def _text(self, text: str) -> str:
        """Return ``text`` with other names and addresses."""
        return _PARTS.sub(self._part, text)

    def _part(self, found: re.Match[str]) -> str:
        text = found[0]
        if found.lastgroup == "kept":
            return text
        if found.lastgroup == "mac":
            return self._addresses.mac(text)
        if found.lastgroup == "ip":
            return self._address(text)
        if found.lastgroup in _WRITTEN:
            written, own = _WRITTEN[found.lastgroup]
            interface = _interface(text.replace(written, own))
            if interface is not None:
                return self._other(interface, text).replace(own, written)
        return _WORD.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        if word in self._hashed:
            return self._hashed[word]
        return word if word.isdigit() or word in KEPT_WORDS else self._words.word(word)

    def _address(self, text: str) -> str:
        """The text in the place of an address or network, or of what has colons as an address has."""
        starts = [0, *(at + 1 for at, each in enumerate(text) if each == ":")]
        found = [(start, each) for start in starts if (each := _interface(text[start:])) is not None]
        # the id of a row may end with an address, behind a word that could belong to it
        known = next((pair for pair in found if self._addresses.is_known(pair[1].ip)), None)
        start, interface = known or (found[0] if found and found[0][0] == 0 else (len(text), None))
        before = _WORD.sub(lambda match: self._word(match[0]), text[:start])
        return before if interface is None else before + self._other(interface, text[start:])

    def _other(self, interface: IPInterface, text: str) -> str:
        other = self._addresses.address(interface.ip)
        if "/" not in text:
            return str(other)
        if interface.ip == interface.network.network_address:
            spare = other.max_prefixlen - interface.network.prefixlen
            other = type(other)(int(other) >> spare << spare)
        return f"{other}/{text.rpartition('/')[2]}"


def _interface(text: str) -> IPInterface | None:
    try:
        return ip_interface(text)
    except ValueError:
        return None
