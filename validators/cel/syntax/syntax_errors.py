"""Syntax errors in ANTLR's words, as far as they follow from where Lark's parser stopped.

Source: measured on the API server's own parser (cel-go with the CEL grammar for ANTLR 4).
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from ovnguard.validators.base.cel_names import RESERVED
from ovnguard.validators.cel.syntax.source_position import Issue

NOT_NAMES: Final = frozenset({"true", "false", "null", "in"})
OPERAND: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_OPERAND_TOKENS: Final = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
# Signs that may start an operand, in ANTLR's order. Those with a name only where the grammar has them.
_OPENERS: Final = (
    ("", "'['"),
    ("RSQB", "']'"),
    ("", "'{'"),
    ("RBRACE", "'}'"),
    ("", "'('"),
    ("RPAR", "')'"),
    ("", "'.'"),
    ("COMMA", "','"),
    ("", "'-'"),
    ("", "'!'"),
    ("QMARK", "'?'"),
)
_ESCAPED_NAME: Final = re.compile(r"`[A-Za-z0-9_.\-/ ]+`")
_HALF_STRING: Final = re.compile(
    r"""(["'])(?:(?!\1)[^\\\n\r]|\\(?:[abfnrtv\\'"`?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}))*"""
    r"""(?:\\[^\n\r]?)?"""
)
_ALSO_OPERATORS: Final = frozenset({"-", "in", "[", "{", "."})
_LAST_WORD: Final = re.compile(r"(?<![.\w])([a-z]+)\s+$")
_STATEMENTS: Final = RESERVED - NOT_NAMES
_BACKTICK: Final = "unsupported syntax: '`'"
_BACKTICKS: Final = re.compile(r"``")


def unreadable(text: str, pos: int, has_backticks: bool) -> tuple[Issue, int] | None:
    """Return the error for characters that are not a token, and their number (0: what follows is not read).

    None if the token is readable but misplaced.
    """
    rune = text[pos]
    escaped = _ESCAPED_NAME.match(text, pos) if has_backticks else None
    if escaped and not text[:pos].strip():
        return Issue(pos, f"Syntax error: mismatched input '{escaped[0]}' expecting {OPERAND}"), 0
    if escaped:
        named = text[:pos].rstrip()[-1:] in {".", "?", "{", ","}
        return Issue(pos, _BACKTICK), len(escaped[0]) if named else 0
    if rune in {"'", '"'}:
        found = _HALF_STRING.match(text, pos)
        width = len(found[0]) if found else 1
    elif rune in "=&|":
        width = 2  # half an operator, which the server's lexer only reports one character later
    elif _starts_token(rune):
        return None
    else:
        width = 2 if has_backticks and _BACKTICKS.match(text, pos) else 1
    return Issue(pos, f"Syntax error: token recognition error at: '{text[pos : pos + width]}'"), width


def misplaced(text: str, pos: int, seen: str, accepted: Collection[str]) -> Issue:
    """Return the error for a token that does not fit, or for the end of the text (then ``seen`` is "").

    ``accepted`` are the names of the grammar's terminals that would have fitted.
    """
    after = text[pos + len(seen) :].strip()
    only_names = set(accepted) == {"IDENT"}
    if only_names and text[:pos].rstrip().endswith(".?"):
        return Issue(
            pos, f"Syntax error: mismatched input '{seen or '<EOF>'}' expecting {{IDENTIFIER, ESC_IDENTIFIER}}"
        )
    if only_names and seen[:1].isdigit() and text[pos - 1] == ".":
        # To the server's lexer this is a number.
        word = "mismatched" if after else "extraneous"
        return Issue(pos - 1, f"Syntax error: {word} input '.{seen}' expecting <EOF>")
    if only_names and seen not in NOT_NAMES - {"in"}:
        dot = text.rfind(".", 0, pos)
        return Issue(pos, f"Syntax error: no viable alternative at input '{text[dot:pos]}{seen}'")
    before = text[:pos].rstrip()[-1:]
    return Issue(pos, f"Syntax error: {_unexpected(seen or '<EOF>', accepted, before, after)}")


def without_backticks(issue: Issue) -> Issue:
    """Return the error as a parser without names in backticks reports it."""
    message = issue.message.replace("{IDENTIFIER, ESC_IDENTIFIER}", "IDENTIFIER").replace(", ESC_IDENTIFIER", "")
    return Issue(issue.pos, message)


def filler(issue: Issue) -> str:
    """Return the character that takes the place of what was reported: a name in backticks is still a name."""
    return "x" if issue.message == _BACKTICK else " "


def is_too_many(issue: Issue) -> bool:
    """Return whether the parser continues as if the token did not exist. At the end of an expression it does not."""
    return issue.message.startswith("Syntax error: extraneous input") and not issue.message.endswith("<EOF>")


def also(text: str, issue: Issue) -> Iterator[Issue]:
    """Yield the further errors that are reported after the parser has given up."""
    if issue.message.endswith("expecting {IDENTIFIER, ESC_IDENTIFIER}"):
        yield Issue(issue.pos, "unsupported ident kind")
    reserved = _LAST_WORD.search(text[: issue.pos])
    if reserved and reserved[1] in _STATEMENTS:
        yield Issue(reserved.start(1), f"reserved identifier: {reserved[1]}")


def _starts_token(rune: str) -> bool:
    return rune.isalnum() or rune in "_.,:?()[]{}<>=!+-*/%&|"


def _unexpected(seen: str, accepted: Collection[str], before: str, after: str) -> str:
    """Return ANTLR's words for a token that does not fit, as far as they follow from the accepted ones and its
    neighbours.
    """
    if "IDENT" in accepted and "LPAR" in accepted:
        return _no_operand(seen, accepted, before, after)
    if set(accepted) == {"IDENT"}:
        return f"mismatched input '{seen}' expecting IDENTIFIER"
    if "COLON" in accepted:
        return f"missing ':' at '{seen}'" if _starts_operand(seen) else f"mismatched input '{seen}' expecting ':'"
    if "RPAR" in accepted:
        return _unclosed(")", seen, after)
    if "RSQB" in accepted and "COMMA" not in accepted:
        return _unclosed("]", seen, after)
    if "RSQB" in accepted:
        return f"{'mismatched' if seen == '<EOF>' else 'extraneous'} input '{seen}' expecting {{']', ','}}"
    if "RBRACE" in accepted:
        names = ", '?', IDENTIFIER, ESC_IDENTIFIER" if "IDENT" in accepted else ""
        return f"mismatched input '{seen}' expecting {{'}}', ','{names}}}"
    return f"{'mismatched' if after else 'extraneous'} input '{seen}' expecting <EOF>"


def _unclosed(bracket: str, seen: str, after: str) -> str:
    if after.startswith(bracket):
        return f"extraneous input '{seen}' expecting '{bracket}'"
    if seen == "," or (_starts_operand(seen) and seen not in _ALSO_OPERATORS and seen != "<EOF>"):
        return f"mismatched input '{seen}' expecting '{bracket}'"
    return f"missing '{bracket}' at '{seen}'"


def _no_operand(seen: str, accepted: Collection[str], before: str, after: str) -> str:
    """Return the error of something else where an operand should begin."""
    if "RSQB" in accepted and before != "[":
        return f"mismatched input '{seen}' expecting ']'"
    also = {name for name in ("RSQB", "RBRACE", "RPAR", "QMARK") if name in accepted}
    also |= {"COMMA"} if also & {"RSQB", "RBRACE"} else set()
    wanted = ", ".join(sign for name, sign in _OPENERS if not name or name in also)
    recovers = (seen == "<EOF>" and before == "!") or (seen != "<EOF>" and (_starts_operand(after) or "RPAR" in also))
    return f"{'extraneous' if recovers else 'mismatched'} input '{seen}' expecting {{{wanted}, {_OPERAND_TOKENS}}}"


def _starts_operand(text: str) -> bool:
    return bool(text) and (text[0].isalnum() or text[0] in "_.([{'\"!-")
