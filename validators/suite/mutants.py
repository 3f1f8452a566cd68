"""Mutants of a CEL rule: texts that differ from it in one small way."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|&&|\|\||[<>=!]=|[<>]|\s+|.""",
    re.DOTALL,
)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_SWAPPED: Final = {"self": "oldSelf", "oldSelf": "self"}
_MOVED: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


class Mutant(NamedTuple):
    """A broken rule: how it was broken, and its text."""

    change: str
    rule: str


def mutants_of(rule: str) -> Iterator[Mutant]:
    """Iterate over the mutants of a rule, each once."""
    seen = {rule}
    for mutant in _mutants(rule):
        if mutant.rule not in seen:
            seen.add(mutant.rule)
            yield mutant


def _mutants(rule: str) -> Iterator[Mutant]:
    tokens = _TOKEN.findall(rule)
    yield Mutant("negated", f"!({rule})")
    parts = _conjuncts(tokens)
    for index, part in enumerate(parts) if len(parts) > 1 else ():
        rest = " && ".join(each for number, each in enumerate(parts) if number != index)
        yield Mutant(f"without {' '.join(part.split())}", rest)
    for index, token in enumerate(tokens):
        if token in _MOVED:
            yield Mutant(f"{token} is {_MOVED[token]}", _with(tokens, index, _MOVED[token]))
        elif token.isdecimal() and _is_compared(tokens, index):
            for moved in (str(int(token) + 1), str(int(token) - 1)):
                if not moved.startswith("-"):
                    yield Mutant(f"{token} is {moved}", _with(tokens, index, moved))
    if "oldSelf" in tokens and "self" in tokens:
        swapped = [_SWAPPED.get(token, token) for token in tokens]
        if _normal(swapped) != _normal(tokens):
            yield Mutant("self and oldSelf swapped", "".join(swapped))


def _conjuncts(tokens: list[str]) -> list[str]:
    """The operands of && outside of brackets; none if || or ? binds more loosely there."""
    if len(_split(tokens, "||", "?")) > 1:
        return []
    return ["".join(part).strip() for part in _split(tokens, "&&")]


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
    """Whether a comparison is next to a number."""
    before, after = reversed(tokens[:index]), iter(tokens[index + 1 :])
    around = (next((token for token in side if not token.isspace()), "") for side in (before, after))
    return any(each in _MOVED or each in ("==", "!=") for each in around)


def _with(tokens: list[str], index: int, token: str) -> str:
    return "".join([*tokens[:index], token, *tokens[index + 1 :]])
