"""Mutants of a CEL rule: texts that differ from it in one small way."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|&&|\|\||[<>=!]=|[<>]|\s+|.""",
    re.DOTALL,
)
_MOST_TEXTS: Final = 400
"""Texts of one rule that are made: many operands of a hostile one may be equal."""
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_OLD_AND_NEW: Final = (("self", "oldSelf"), ("object", "oldObject"))
_MOVED: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OPPOSITE: Final = {"==": "!=", "!=": "=="}
_MACROS: Final = {"all": "exists", "exists": "all"}
_HAS: Final = "has"
_SEPARATORS: Final = ("&&", "||", "?", ":", ",")


class Mutant(NamedTuple):
    """A broken rule: how it was broken, and its text."""

    change: str
    rule: str


def mutants_of(rule: str) -> Iterator[Mutant]:
    """Iterate over the mutants of a rule, each once."""
    seen = {rule}
    for mutant in islice(_mutants(rule), _MOST_TEXTS):
        if mutant.rule not in seen:
            seen.add(mutant.rule)
            yield mutant


def _mutants(rule: str) -> Iterator[Mutant]:
    tokens = _TOKEN.findall(rule)
    levels = _levels(tokens)
    yield Mutant("negated", f"!({rule})")
    for level in levels:
        for operands in _joined(tokens, level):
            yield from _changed_operands(tokens, operands)
    yield from _changed_calls(tokens, levels)
    for index, token in enumerate(tokens):
        if token in _MOVED or (token in _OPPOSITE and not _is_whole(tokens, levels[0], index)):
            other = _MOVED.get(token) or _OPPOSITE[token]
            yield Mutant(f"{token} is {other}", _with(tokens, index, other))
        elif token.isdecimal() and _is_compared(tokens, index):
            for moved in (str(int(token) + 1), str(int(token) - 1)):
                if not moved.startswith("-"):
                    yield Mutant(f"{token} is {moved}", _with(tokens, index, moved))
    for new, old in _OLD_AND_NEW:
        if new in tokens and old in tokens:
            exchanged = {new: old, old: new}
            swapped = [exchanged.get(token, token) for token in tokens]
            if _normal(swapped) != _normal(tokens):
                yield Mutant(f"{new} and {old} swapped", "".join(swapped))


class _Level(NamedTuple):
    """The tokens between two brackets, or all of them; ``separators`` are those that are in no bracket inside."""

    start: int
    end: int
    separators: list[int]


class _Operands(NamedTuple):
    """The operands of one && or ||, as first token and the one after the last; ``condition``: they are before a ?."""

    spans: list[tuple[int, int]]
    condition: bool = False

    @property
    def whole(self) -> tuple[int, int]:
        """From the first to the last operand."""
        return self.spans[0][0], self.spans[-1][1]


def _levels(tokens: list[str]) -> list[_Level]:
    """The levels of a rule, outer ones before those inside them."""
    opened = [_Level(0, len(tokens), [])]
    found = [*opened]
    for index, token in enumerate(tokens):
        if token in _OPENING:
            opened.append(_Level(index + 1, 0, []))
        elif token in _CLOSING and len(opened) > 1:
            found.append(opened.pop()._replace(end=index))
        elif token in _SEPARATORS:
            opened[-1].separators.append(index)
    return sorted(found)


def _joined(tokens: list[str], level: _Level) -> Iterator[_Operands]:
    """The operands of each && and || of a level, and each condition; && binds more tightly than ||, and ? least."""
    conjuncts: list[tuple[int, int]] = []
    disjuncts: list[tuple[int, int]] = []
    begin = level.start
    for at in (*level.separators, level.end):
        separator = tokens[at] if at < level.end else ""
        conjuncts.append(_trimmed(tokens, begin, at))
        begin = at + 1
        if separator == "&&":
            continue
        yield _Operands(conjuncts)
        disjuncts.append((conjuncts[0][0], conjuncts[-1][1]))
        conjuncts = []
        if separator != "||":
            yield _Operands(disjuncts, separator == "?")
            disjuncts = []


def _trimmed(tokens: list[str], start: int, end: int) -> tuple[int, int]:
    while start < end and tokens[start].isspace():
        start += 1
    while start < end and tokens[end - 1].isspace():
        end -= 1
    return start, end


def _changed_operands(tokens: list[str], operands: _Operands) -> Iterator[Mutant]:
    """The rule without each of several operands, and with a negated condition."""
    spans = operands.spans
    for number, (start, end) in enumerate(spans) if len(spans) > 1 else ():
        # with the operator after it, that of the last one before it
        first, last = (start, spans[number + 1][0]) if number + 1 < len(spans) else (spans[number - 1][1], end)
        yield Mutant(f"without {_shown(tokens[start:end])}", "".join([*tokens[:first], *tokens[last:]]).strip())
    if operands.condition:
        start, end = operands.whole
        condition = "".join(tokens[start:end])
        changed = "".join([*tokens[:start], f"!({condition})", *tokens[end:]])
        yield Mutant(f"{_shown(tokens[start:end])} is negated", changed)


def _changed_calls(tokens: list[str], levels: list[_Level]) -> Iterator[Mutant]:
    """The rule with all() and exists() exchanged, and with each has() negated that is an operand by itself."""
    ends = {level.start: level.end for level in levels}
    joined = [each for level in levels for each in _joined(tokens, level)]
    operands = {span for each in joined for span in each.spans}
    # negated already
    operands -= {_trimmed(tokens, 0, len(tokens)), *(each.whole for each in joined if each.condition)}
    for index, token in enumerate(tokens):
        close = ends.get(index + 2) if tokens[index + 1 : index + 2] == ["("] else None
        if close is None:
            continue
        if token in _MACROS and tokens[index - 1 : index] == ["."]:
            yield Mutant(f"{token} is {_MACROS[token]}", _with(tokens, index, _MACROS[token]))
        elif token == _HAS:
            call, negated = _shown(tokens[index : close + 1]), tokens[index - 1 : index] == ["!"]
            if negated and (index - 1, close + 1) in operands:
                yield Mutant(f"!{call} is {call}", "".join([*tokens[: index - 1], *tokens[index:]]))
            elif (index, close + 1) in operands:
                yield Mutant(f"{call} is !{call}", "".join([*tokens[:index], "!", *tokens[index:]]))


def _shown(tokens: list[str]) -> str:
    return " ".join("".join(tokens).split())


def _is_whole(tokens: list[str], level: _Level, index: int) -> bool:
    """Whether a comparison has the whole rule as its operands: its opposite is the negated rule."""
    outside = [number for number, depth in enumerate(_depths(tokens)) if not depth and tokens[number] in _OPPOSITE]
    return not level.separators and outside == [index]


def _depths(tokens: list[str]) -> Iterator[int]:
    """The number of brackets around each token."""
    depth = 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        yield depth


def _split(tokens: list[str], *separators: str) -> list[list[str]]:
    """The parts of a text between separators outside of brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0 and token in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _normal(tokens: list[str]) -> str:
    """A text without spaces in which the operands of ||, &&, == and != are sorted: equal forms mean the same."""
    for ordered in (",", "?", ":"):
        if len(parts := _split(tokens, ordered)) > 1:
            return ordered.join(map(_normal, parts))
    for operator in ("||", "&&", "==", "!="):
        parts = _split(tokens, operator)
        if len(parts) == 2 or (len(parts) > 1 and operator in ("||", "&&")):
            return operator.join(sorted(map(_normal, parts)))
    shown: list[str] = []
    inside: list[str] = []
    depth = 0
    for token in tokens:
        depth -= token in _CLOSING
        if depth > 0:
            inside.append(token)
        elif not token.isspace():
            shown += [_normal(inside), token] if token in _CLOSING and inside else [token]
            inside = []
        depth += token in _OPENING
    return "".join(shown)


def _is_compared(tokens: list[str], index: int) -> bool:
    """Whether a comparison is next to a number, or to its sign."""
    before = (tokens[at] for at in range(index - 1, -1, -1) if not tokens[at].isspace() and tokens[at] != "-")
    after = (tokens[at] for at in range(index + 1, len(tokens)) if not tokens[at].isspace())
    return any(next(side, "") in (*_MOVED, *_OPPOSITE) for side in (before, after))


def _with(tokens: list[str], index: int, token: str) -> str:
    return "".join([*tokens[:index], token, *tokens[index + 1 :]])
