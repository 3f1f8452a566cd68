"""The words and operators of a shell script, and the variables in its words."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

# The maximum number of characters between the braces of a variable: a default is read again for each brace around it.
_MAX_BRACED: Final = 4096
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_OPERATORS: Final = (";;", "&&", "||", ";", "&", "|", "(", ")", "\n")


class Part(NamedTuple):
    """A piece of a word: literal text, or the variable ``name`` with what an unset or empty one stands for.

    ``altered``: a part of its value, or one with replacements. A command substitution is a variable without a name: no
    object says what it prints.
    """

    text: str = ""
    name: str | None = None
    default: "Word | None" = None
    quoted: bool = False
    altered: bool = False


Word: TypeAlias = tuple[Part, ...]
Token: TypeAlias = Word | str


def literal(word: Word) -> str | None:
    """Return the text of a word without variables, or None."""
    return None if any(each.name is not None or each.default for each in word) else "".join(p.text for p in word)


def tokens(text: str) -> Iterator[Token]:
    """Iterate over the words and operators of a script; comments and redirections are left out."""
    at = 0
    while at < len(text):
        if text[at] in " \t\r":
            at += 1
        elif text[at] == "#":
            at = _until(text, at, "\n")
        elif text.startswith((">", "<"), at) or (text[at].isdigit() and text[at + 1 : at + 2] in (">", "<")):
            at = _after_redirection(text, at)
        elif operator := next((each for each in _OPERATORS if text.startswith(each, at)), None):
            yield operator
            at += len(operator)
        else:
            word, at = _word(text, at)
            yield word


def _until(text: str, at: int, end: str) -> int:
    found = text.find(end, at)
    return len(text) if found < 0 else found


def _after_redirection(text: str, at: int) -> int:
    """The place after a redirection with its target."""
    while at < len(text) and (text[at] in "<>&|" or text[at].isdigit()):
        at += 1
    while at < len(text) and text[at] in " \t":
        at += 1
    return at if text[at : at + 1] in ("\n", "") else _word(text, at)[1]


def _word(text: str, at: int) -> tuple[Word, int]:
    parts: list[Part] = []
    while at < len(text) and text[at] not in " \t\r\n;&|()<>":
        found, at = _part(text, at, quoted=False)
        parts += found
    if not parts:
        # a character that starts no word here
        at += 1
    return tuple(parts), at


def _part(text: str, at: int, *, quoted: bool) -> tuple[list[Part], int]:
    """One or more pieces from ``at``, and the place after them."""
    char = text[at]
    if char == "\\":
        return [Part(text[at + 1 : at + 2], quoted=True)], at + 2
    if char == "$":
        return _expansion(text, at, quoted=quoted)
    if char == "`":
        return [Part(name="", quoted=quoted)], _until(text, at + 1, "`") + 1
    if not quoted and char == "'":
        end = _until(text, at + 1, "'")
        return [Part(text[at + 1 : end], quoted=True)], end + 1
    if not quoted and char == '"':
        parts, at = [Part(quoted=True)], at + 1
        while at < len(text) and text[at] != '"':
            found, at = _part(text, at, quoted=True)
            parts += found
        return parts, at + 1
    end = at + 1
    while end < len(text) and text[end] not in (' \t\r\n;&|()<>\\$`"' + "'" if not quoted else '\\$`"'):
        end += 1
    return [Part(text[at:end], quoted=quoted)], end


def _expansion(text: str, at: int, *, quoted: bool) -> tuple[list[Part], int]:
    following = text[at + 1 : at + 2]
    if following == "(":
        return [Part(name="", quoted=quoted)], _after_closing(text, at + 1, "(", ")")
    if following == "{":
        end = _after_closing(text, at + 1, "{", "}")
        return [_braced(text[at + 2 : end - 1], quoted)], end
    end = at + 1
    while end < len(text) and text[end] in _NAME:
        end += 1
        if text[at + 1].isdigit():
            break
    if end == at + 1:
        # special parameters such as $# and $?
        special = following in tuple("#?@*!$-") and following != ""
        return [Part(name="", quoted=quoted)] if special else [Part("$", quoted=quoted)], at + 1 + special
    return [Part(name=text[at + 1 : end], quoted=quoted)], end


def _after_closing(text: str, at: int, opening: str, closing: str) -> int:
    depth = 0
    while at < len(text):
        depth += (text[at] == opening) - (text[at] == closing)
        at += 2 if text[at] == "\\" else 1
        if depth == 0:
            return at
    return len(text) + 1


def _braced(inner: str, quoted: bool) -> Part:
    end = 0
    while end < len(inner) and inner[end] in _NAME:
        end += 1
    name, rest = inner[:end], inner[end:]
    if not rest and name:
        return Part(name=name, quoted=quoted)
    for operator in (":-", ":=", "-", "="):
        if name and len(inner) <= _MAX_BRACED and rest.startswith(operator):
            at, parts, default = 0, list[Part](), rest[len(operator) :]
            while at < len(default):
                found, at = _part(default, at, quoted=False)
                parts += found
            return Part(name=name, default=tuple(parts), quoted=quoted)
    if name and rest[0] in "/#%^,":
        return Part(name=name, quoted=quoted, altered=True)
    return Part(name="", quoted=quoted)
