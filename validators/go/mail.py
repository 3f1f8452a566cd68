"""Addresses as Go's ``mail.ParseAddress`` accepts them (net/mail): RFC 5322 with its comments and quotes."""

import re
from typing import Final

from ovnguard.validators.go.address import parse_ip
from ovnguard.validators.lazy_pattern import lazy_pattern

_ATEXT: Final = r"A-Za-z0-9!#$%&'*+\-/=?^_`{|}~"
_WIDE: Final = "[^\x00-\x7f]"
_DOT_ATOM: Final = lazy_pattern(rf"(?:[{_ATEXT}.]|{_WIDE})+")
_QUOTED: Final = lazy_pattern(rf'"((?:[\t !#-\[\]-~]|{_WIDE}|\\(?:[\t -~]|{_WIDE}))*)"')
_CHARSETS: Final = frozenset({"utf-8", "iso-8859-1", "us-ascii"})
_BASE64: Final = lazy_pattern("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DTEXT: Final = lazy_pattern(r"\[([!-Z^-~]*)\]")


class _BadAddress(ValueError):
    pass


def is_email(text: str) -> bool:
    """Return whether the text is one address: ``a@b``, ``A B <a@b.c>``, ``"a b"@c``, or a group of exactly one."""
    try:
        rest, count = _address(text.lstrip(" \t"), group=True)
        return not _skip_comments(rest) and count == 1
    except _BadAddress:
        return False


def _address(text: str, *, group: bool) -> tuple[str, int]:
    """Read one address. Return the rest of the text and the number of addresses read."""
    if not text:
        raise _BadAddress
    try:
        rest = _address_spec(text).lstrip(" \t")
    except _BadAddress:
        return _named_address(text, group=group)
    return (_comment(rest) if rest.startswith("(") else rest), 1


def _named_address(text: str, *, group: bool) -> tuple[str, int]:
    rest = text if text.startswith("<") else _phrase(text)
    rest = rest.lstrip(" \t")
    if group and rest.startswith(":"):
        return _group(rest[1:])
    if not rest.startswith("<"):
        raise _BadAddress
    rest = _address_spec(rest[1:])
    if not rest.startswith(">"):
        raise _BadAddress
    return rest[1:], 1


def _group(text: str) -> tuple[str, int]:
    rest, count = text.lstrip(" \t"), 0
    if rest.startswith(";"):
        return _skip_comments(rest[1:]), 0
    while True:
        rest, more = _address(rest.lstrip(" \t"), group=False)
        count += more
        rest = _skip_comments(rest)
        if rest.startswith(";"):
            return _skip_comments(rest[1:]), count
        if not rest.startswith(","):
            raise _BadAddress
        rest = rest[1:]


def _address_spec(text: str) -> str:
    rest = text.lstrip(" \t")
    if rest.startswith('"'):
        quoted = _QUOTED.match(rest)
        if quoted is None or not quoted[1]:
            raise _BadAddress
        rest = rest[quoted.end() :]
    else:
        rest = _atom(rest)
    if not rest.startswith("@"):
        raise _BadAddress
    rest = rest[1:].lstrip(" \t")
    if not rest.startswith("["):
        return _atom(rest)
    literal = _DTEXT.match(rest)
    if literal is None or not parse_ip(literal[1], sloppy=False):
        raise _BadAddress
    return rest[literal.end() :]


def _atom(text: str) -> str:
    match = _DOT_ATOM.match(text)
    if match is None or match[0].startswith(".") or match[0].endswith(".") or ".." in match[0]:
        raise _BadAddress
    return text[match.end() :]


def _phrase(text: str) -> str:
    """Read words before an angle address. What is not a word ends the phrase."""
    rest, words = text, 0
    while True:
        if words:
            rest = _skip_comments(rest)
        rest = rest.lstrip(" \t")
        if not rest:
            return rest
        match = _QUOTED.match(rest) if rest.startswith('"') else _DOT_ATOM.match(rest)
        if match is None or _has_unknown_charset(match[0]):
            if not words:
                raise _BadAddress
            return rest if match is None else rest[match.end() :]
        rest = rest[match.end() :]
        words += 1


def _has_unknown_charset(word: str) -> bool:
    """Return whether a word is encoded (RFC 2047) in a charset that Go does not know. All other words can be read."""
    parts = word.split("?")
    if len(word) < 8 or not (word.startswith("=?") and word.endswith("?=")) or len(parts) != 5:
        return False
    charset, encoding, text = parts[1:4]
    if not charset or charset.lower() in _CHARSETS:
        return False
    if encoding in {"q", "Q"}:
        return re.fullmatch("(?:[ -<>-~\t]|=[0-9a-fA-F]{2})*", text) is not None
    return encoding in {"b", "B"} and _BASE64.fullmatch(text) is not None


def _skip_comments(text: str) -> str:
    rest = text.lstrip(" \t")
    while rest.startswith("("):
        rest = _comment(rest).lstrip(" \t")
    return rest


def _comment(text: str) -> str:
    depth, index = 0, 0
    while index < len(text):
        char = text[index]
        if char == "\\" and index + 1 < len(text):
            index += 1
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        index += 1
        if not depth:
            return text[index:]
    raise _BadAddress
