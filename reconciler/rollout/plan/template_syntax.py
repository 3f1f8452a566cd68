"""Reads the operator's templates: the constructs of Go's text/template that its branches 4.13 and 4.14 use, no others.

Source: Go 1.26, package text/template.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

Token: TypeAlias = tuple[str, str]
"""The kind and the text of a token."""

_SPACE: Final = " \t\r\n"
_MAX_DEPTH: Final = 40
_MAX_SHOWN: Final = 60
_LEFT: Final = re.compile(r"\{\{(-(?=[ \t\r\n]))?")
_COMMENT: Final = re.compile(r"\{\{(-[ \t\r\n]+)?/\*.*?\*/(?P<right>[ \t\r\n]+-)?\}\}", re.DOTALL)
_TOKEN: Final = re.compile(
    r"""(?P<right>[ \t\r\n]+-\}\}) | (?P<end>\}\}) | (?P<space>[ \t\r\n]+) | (?P<mark>\(|\)|,|:=)
    | (?: (?P<string>"[^"\\\n]*") | (?P<number>0|[1-9][0-9]{0,17}) | (?P<name>\.[A-Za-z_][A-Za-z0-9_]*) | (?P<dot>\.)
        | (?P<variable>\$[A-Za-z_][A-Za-z0-9_]*) | (?P<word>[a-z]+) ) (?=[ \t\r\n),}])""",
    re.VERBOSE,
)
_FUNCTIONS: Final = ("and", "or", "eq", "ne", "gt")


class TemplateError(Exception):
    """A construct, or a value, that is not understood; ``line`` is where its action begins."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Expression(NamedTuple):
    """A value by name, a literal, or a function of others; ``index`` reads a value that may be missing."""

    kind: str
    operand: str | int = ""
    of: tuple["Expression", ...] = ()


class Text(NamedTuple):
    """What stands outside of actions."""

    text: str


class Shown(NamedTuple):
    """An action that prints a value."""

    line: int
    value: Expression


class Branch(NamedTuple):
    """A part of an ``if``; an ``else`` has no condition."""

    line: int
    condition: Expression | None
    body: list["Node"]


class Choice(NamedTuple):
    """An ``if`` with all its parts."""

    branches: list[Branch]


class Range(NamedTuple):
    """A ``range`` over the mapping ``name``."""

    line: int
    key: str
    value: str
    name: str
    body: list["Node"]


Node: TypeAlias = Text | Shown | Choice | Range


class _Action(NamedTuple):
    line: int
    tokens: Sequence[Token]


@dataclass(slots=True)
class _Open:
    """An action without its end so far, and the nodes that it is among."""

    line: int
    node: Choice | Range
    among: list[Node]


@dataclass(slots=True)
class _Tree:
    """The nodes of a template while it is read: where the next one belongs, and which actions have no end so far."""

    into: list[Node] = field(default_factory=list)
    open: list[_Open] = field(default_factory=list)

    def add(self, action: _Action) -> None:
        line, tokens = action
        match tokens:
            case [("word", "end")] if self.open:
                self.into = self.open.pop().among
            case [("word", "else")] if self.open and self._may_continue():
                self._branch(line, None)
            case [("word", "else"), ("word", "if"), *rest] if self.open and self._may_continue():
                self._branch(line, _whole(line, rest))
            case [("word", "if"), *rest]:
                self._enter(line, Choice([]))
                self._branch(line, _whole(line, rest))
            case [("word", "range"), *rest]:
                self._range(line, rest)
            case [(("name" | "string"), _)]:
                self.into.append(Shown(line, _operand(line, [*tokens])))
            case [("variable", name)] if any(name in each.node[1:3] for each in self._ranges()):
                self.into.append(Shown(line, Expression("variable", name)))
            case _:
                raise _unknown(line, tokens)

    def _may_continue(self) -> bool:
        """Whether an else may follow: not in a range, and not after an else without a condition."""
        node = self.open[-1].node
        return isinstance(node, Choice) and node.branches[-1].condition is not None

    def _ranges(self) -> list[_Open]:
        return [each for each in self.open if isinstance(each.node, Range)]

    def _enter(self, line: int, node: Choice | Range) -> None:
        if len(self.open) >= _MAX_DEPTH:
            raise TemplateError(line, f"more than {_MAX_DEPTH} actions enclose each other")
        self.into.append(node)
        self.open.append(_Open(line, node, self.into))

    def _branch(self, line: int, condition: Expression | None) -> None:
        node = self.open[-1].node
        self.into = []
        if isinstance(node, Choice):
            node.branches.append(Branch(line, condition, self.into))

    def _range(self, line: int, rest: Sequence[Token]) -> None:
        match rest:
            case [("variable", key), (_, ","), ("variable", value), (_, ":="), ("name", name)] if not self._ranges():
                node = Range(line, key, value, name[1:], [])
                self._enter(line, node)
                self.into = node.body
            case _:
                raise _unknown(line, [("word", "range"), *rest])


def parsed(text: str) -> list[Node]:
    """Return the nodes of a template. Raises TemplateError."""
    tree = _Tree()
    root = tree.into
    for each in _parts(text):
        if isinstance(each, Text):
            tree.into.append(each)
        else:
            tree.add(each)
    if tree.open:
        raise TemplateError(tree.open[-1].line, "the action has no end")
    return root


def _parts(text: str) -> Iterator[Text | _Action]:
    """Iterate over texts and actions."""
    start, line, trim = 0, 1, False
    while (left := _LEFT.search(text, start)) is not None:
        yield Text(_trimmed(text[start : left.start()], left=trim, right=left[1] is not None))
        line += text.count("\n", start, left.start())
        comment = _COMMENT.match(text, left.start())
        if comment is not None:
            end, trim = comment.end(), comment["right"] is not None
        else:
            tokens, end, trim = _tokens(line, text, left.end())
            yield _Action(line, tokens)
        line += text.count("\n", left.start(), end)
        start = end
    yield Text(_trimmed(text[start:], left=trim, right=False))


def _trimmed(text: str, *, left: bool, right: bool) -> str:
    text = text.lstrip(_SPACE) if left else text
    return text.rstrip(_SPACE) if right else text


def _tokens(line: int, text: str, start: int) -> tuple[list[Token], int, bool]:
    """The tokens of the action that begins at ``start``, where it ends, and whether it trims what follows."""
    found: list[Token] = []
    while (match := _TOKEN.match(text, start)) is not None:
        start, kind = match.end(), match.lastgroup or ""
        if kind in ("end", "right"):
            return found, start, kind == "right"
        if kind != "space":
            found.append((kind, match[0]))
    raise TemplateError(line, f"not understood: {text[start : start + _MAX_SHOWN].partition(chr(10))[0]!r}")


def _unknown(line: int, tokens: Sequence[Token]) -> TemplateError:
    return TemplateError(line, f"not understood: {' '.join(text for _, text in tokens)[:_MAX_SHOWN]!r}")


def _whole(line: int, tokens: Sequence[Token]) -> Expression:
    """The expression that all tokens are."""
    left = [*tokens]
    found = _expression(line, left)
    if left:
        raise _unknown(line, tokens)
    return found


def _expression(line: int, left: list[Token], depth: int = 0) -> Expression:
    """Take an expression from the tokens that are ``left``."""
    match left:
        case [("word", "index"), ("dot", _), ("string", key), *_]:
            del left[:3]
            return Expression("index", key[1:-1])
        case [("word", "not"), *_]:
            del left[0]
            return Expression("not", of=(_operand(line, left, depth),))
        case [("word", word), *_] if word in _FUNCTIONS:
            del left[0]
            return Expression(word, of=(_operand(line, left, depth), _operand(line, left, depth)))
    return _operand(line, left, depth)


def _operand(line: int, left: list[Token], depth: int = 0) -> Expression:
    match left:
        case [("name", name), *_]:
            del left[0]
            return Expression("value", name[1:])
        case [("string", text), *_]:
            del left[0]
            return Expression("literal", text[1:-1])
        case [("number", text), *_]:
            del left[0]
            return Expression("literal", int(text))
        case [("mark", "("), *_] if depth < _MAX_DEPTH:
            del left[0]
            found = _expression(line, left, depth + 1)
            if left[:1] == [("mark", ")")]:
                del left[0]
                return found
    raise _unknown(line, left)
