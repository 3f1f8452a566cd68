r"""Reads a regular expression as Go's ``regexp/syntax`` does, and rewrites it for RE2 in C++.

Go and C++ share the syntax but for details: which names ``\p{...}`` has, what a group may be called, how large a count
and how deep a nesting may be. `rewrite` reports what Go refuses, in Go's words, and spells out what C++ does not know.

Source: Go 1.26, ``regexp/syntax/parse.go`` with the flags of ``regexp.Compile``.
"""

import re
from functools import lru_cache
from typing import Final

from ovnguard.validators.go.regexp_stack import MAX_COUNT, Node, Repeat, Stack, bad_pattern
from ovnguard.validators.go.unicode_classes import LAST, CodePoints, complement, named_class, without_surrogates

_LONGEST_COUNT: Final = 8
_MOST_WRITTEN: Final = 8_000_000
_ALPHANUMERIC: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_NAME: Final = _ALPHANUMERIC | {"_"}
_WORD: Final = _NAME
_OCTAL: Final = frozenset("01234567")
_EVERYTHING: Final = r"\x00-\x{10ffff}"
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_HEX: Final = re.compile(r"\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2})")
_COUNT: Final = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}", re.ASCII)
_PERL_CLASSES: Final = frozenset("dDsSwW")
_CONTROL: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_POSIX_NAMES: Final = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
_POSIX: Final = frozenset(f"[:{sign}{name}:]" for sign in ("", "^") for name in _POSIX_NAMES.split())


def rewrite(pattern: str) -> str:
    """Return the pattern for RE2 in C++. Raises `BadPattern`."""
    return _Parser(pattern).run()


class _Parser:
    """Reads a pattern once, from the left, with Go's stack of subexpressions."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.folds = False
        self.out: list[str] = []
        self.stack = Stack(pattern)
        self.last_repeat = -1
        self.last_class_end = pattern.rfind(":]")
        self.written = 0

    def run(self) -> str:
        while self.at < len(self.text):
            start, char = self.at, self.text[self.at]
            if char in "*+?":
                self._repeat(Repeat(2 if char == "*" else 1), start + 1)
            elif char == "{" and (found := self._count()) is not None:
                self._repeat(*found)
            else:
                self._piece(char)
                start = -1
            self.last_repeat = start
        self.stack.end()
        return "".join(self.out)

    def _piece(self, char: str) -> None:
        match char:
            case "(":
                self._open()
            case ")":
                self.folds = self.stack.close()
                self._copy(1)
            case "|":
                self.stack.bar()
                self._copy(1)
            case "[":
                self._class()
            case "\\":
                self._escape()
            case "^" | "$":
                self._single("other", 1)
            case ".":
                self._single("class", 1)
            case _:
                self.at += 1
                self._literal(ord(char))

    def _copy(self, length: int) -> None:
        self.out.append(self.text[self.at : self.at + length])
        self.at += length

    def _single(self, op: str, length: int) -> None:
        self.stack.push(Node(op))
        self._copy(length)

    def _literal(self, code: int) -> None:
        self.stack.push(Node("literal", folds=self.folds))
        self.out.append(chr(code) if chr(code) in _WORD else f"\\x{{{code:x}}}")

    def _open(self) -> None:
        start, head = self.at, self.text[self.at : self.at + 5]
        if not head.startswith("(?"):
            self.stack.open(captures=True, folds=self.folds)
            self._copy(1)
            return
        lead = next((one for one in ("(?P<", "(?<") if head.startswith(one) and len(head) > len(one)), "")
        if not lead:
            self._flags()
            return
        end = self.text.find(">", start)
        if end < 0:
            raise bad_pattern("invalid named capture", self.text[start:])
        name = self.text[start + len(lead) : end]
        if not name or not set(name) <= _NAME:
            raise bad_pattern("invalid named capture", self.text[start : end + 1])
        self.stack.open(captures=True, folds=self.folds)
        # Nothing asks for a name, and C++ accepts no name twice.
        self.out.append("(")
        self.at = end + 1

    def _flags(self) -> None:
        """Read a group of flags, or the start of a group without a number."""
        start, folds, negative, any_flag = self.at, self.folds, False, False
        for at in range(start + 2, len(self.text)):
            char = self.text[at]
            if char in "imsU":
                folds = not negative if char == "i" else folds
                any_flag = True
            elif char == "-" and not negative:
                negative, any_flag = True, False
            elif char in ":)" and (any_flag or not negative):
                if char == ":":
                    self.stack.open(captures=False, folds=self.folds)
                self.folds = folds
                self._copy(at + 1 - start)
                return
            else:
                raise bad_pattern("invalid or unsupported Perl syntax", self.text[start : at + 1])
        raise bad_pattern("invalid or unsupported Perl syntax", self.text[start:])

    def _count(self) -> tuple[Repeat, int] | None:
        """Return the count at this place and its end; None if the brace is a literal. Raises `BadPattern`."""
        found = _COUNT.match(self.text, self.at)
        if found is None:
            return None
        low, comma, high = found[1], found[2], found[3]
        least, most = _number(low), -1 if comma and not high else _number(high if comma else low)
        if least > MAX_COUNT or most > MAX_COUNT or 0 <= most < least:
            raise bad_pattern("invalid repeat count", found[0])
        return Repeat(0, least, most), found.end()

    def _repeat(self, kind: Repeat, end: int) -> None:
        start = self.at
        if self.text.startswith("?", end):
            end += 1
        if self.last_repeat >= 0:
            raise bad_pattern("invalid nested repetition operator", self.text[self.last_repeat : end])
        self.stack.repeat(kind, self.text[start:end])
        self._copy(end - start)

    def _escape(self) -> None:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter and letter in "AbBz":
            self._single("other", 2)
        elif letter == "C":
            raise bad_pattern("invalid escape sequence", "\\C")
        elif letter == "Q":
            quoted, _, _ = self.text[self.at + 2 :].partition("\\E")
            for char in quoted:
                self._literal(ord(char))
            self.at += 2 + len(quoted) + 2
        elif letter and letter in _PERL_CLASSES:
            self._single("class", 2)
        elif letter and letter in "pP":
            self._append_class(self._limited(_ranges_text(self._unicode_class())), negated=False, folds=False)
        else:
            self._literal(self._escaped())

    def _unicode_class(self) -> CodePoints:
        """Return the code points of a ``\\p`` or ``\\P`` at this place."""
        start = self.at
        braced = self.text.startswith("{", start + 2)
        end = self.text.find("}", start) if braced else min(start + 2, len(self.text) - 1)
        if end < 0:
            raise bad_pattern("invalid character class range", self.text[start:])
        self.at = end + 1
        name = self.text[start + 3 : end] if braced else self.text[start + 2 : end + 1]
        found = named_class(name.removeprefix("^"), folded=self.folds)
        if found is None:
            raise bad_pattern("invalid character class range", self.text[start : end + 1])
        return complement(found) if (self.text[start + 1] == "P") != name.startswith("^") else found

    def _escaped(self) -> int:
        """Return the code point of an escape at this place."""
        start = self.at
        letter = self.text[start + 1 : start + 2]
        if not letter:
            raise bad_pattern("trailing backslash at end of expression", "")
        self.at = start + 2
        if letter in _OCTAL:
            return self._octal(start, letter)
        if letter == "x":
            return self._hexadecimal(start)
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter.isascii() and letter not in _ALPHANUMERIC:
            return ord(letter)
        raise bad_pattern("invalid escape sequence", self.text[start : self.at])

    def _octal(self, start: int, first: str) -> int:
        digits = first
        while len(digits) < 3 and (more := self.text[self.at : self.at + 1]) and more in _OCTAL:
            digits += more
            self.at += 1
        if first != "0" and len(digits) == 1:
            raise bad_pattern("invalid escape sequence", self.text[start : self.at])
        return int(digits, 8)

    def _hexadecimal(self, start: int) -> int:
        found = _HEX.match(self.text, self.at)
        if found is not None and int(found[1] or found[2], 16) <= LAST:
            self.at = found.end()
            return int(found[1] or found[2], 16)
        raise bad_pattern("invalid escape sequence", self.text[start : _bad_hexadecimal_end(self.text, self.at)])

    def _class(self) -> None:
        start = self.at
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        first, items = self.at, []
        while self.at == first or not self.text.startswith("]", self.at):
            items.append(self._limited(self._class_item(start)))
        self.at += 1
        self._append_class("".join(items), negated=negated, folds=self.folds)

    def _limited(self, written: str) -> str:
        """Return the content of a class; all classes together must not become too large for RE2 in C++."""
        self.written += len(written)
        if self.written > _MOST_WRITTEN:
            raise bad_pattern("expression too large", self.text)
        return written

    def _append_class(self, content: str, *, negated: bool, folds: bool) -> None:
        self.stack.push(Node("class"))
        # Without content, the class has surrogates only, which no text has.
        made = f"[{'^' if negated == bool(content) else ''}{content or _EVERYTHING}]"
        self.out.append(made if folds == self.folds else f"(?-i:{made})")

    def _class_item(self, start: int) -> str:
        text, at = self.text, self.at
        if text.startswith("[:", at) and at + 2 <= self.last_class_end:
            end = text.find(":]", at + 2)
            if text[at : end + 2] not in _POSIX:
                raise bad_pattern("invalid character class range", text[at : end + 2])
            self.at = end + 2
            return text[at : self.at]
        if text.startswith(("\\p", "\\P"), at):
            return _ranges_text(self._unicode_class())
        if text.startswith("\\", at) and (letter := text[at + 1 : at + 2]) and letter in _PERL_CLASSES:
            self.at += 2
            return text[at : self.at]
        low = high = self._class_char(start)
        if text.startswith("-", self.at) and self.at + 1 < len(text) and text[self.at + 1] != "]":
            self.at += 1
            high = self._class_char(start)
            if high < low:
                raise bad_pattern("invalid character class range", text[at : self.at])
        return _ranges_text(((low, high),))

    def _class_char(self, start: int) -> int:
        if self.at >= len(self.text):
            raise bad_pattern("missing closing ]", self.text[start:])
        if self.text[self.at] == "\\":
            return self._escaped()
        self.at += 1
        return ord(self.text[self.at - 1])


def _number(digits: str) -> int:
    """Return a count; Go gives up before a long one overflows."""
    return int(digits) if len(digits) <= _LONGEST_COUNT else MAX_COUNT + 1


def _bad_hexadecimal_end(text: str, at: int) -> int:
    """Return where Go stops to read a bad hexadecimal escape."""
    if not text.startswith("{", at):
        return min(at + 2, len(text))
    value = 0
    for end in range(at + 1, len(text)):
        digit = text[end]
        value = value * 16 + int(digit, 16) if digit in _HEX_DIGITS else LAST + 1
        if value > LAST:
            return end + 1
    return len(text)


@lru_cache(maxsize=64)
def _ranges_text(ranges: CodePoints) -> str:
    """Return the ranges as the content of a character class."""
    kept = without_surrogates(ranges)
    return "".join(f"\\x{{{low:x}}}" if low == high else f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in kept)
