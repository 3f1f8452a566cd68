"""Renders the operator's templates as Go does. A value that is missing is an error: nothing is guessed.

Where a condition is not known, because its value is missing, both branches are read: one run finds all that is missing.

Source: Go 1.26, package text/template, with the operator's option ``missingkey=error``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from ovnguard.reconciler.rollout.plan.template_syntax import (
    Choice,
    Expression,
    Node,
    Range,
    Shown,
    TemplateError,
    Text,
    parsed,
)

Value: TypeAlias = "str | int | bool | Mapping[str, Value] | None"
_KINDS: Final = {str: "a string", int: "a number", bool: "a boolean", type(None): "null"}


class Problem(NamedTuple):
    """What cannot be rendered, and where. ``missing`` is the name of a value that is missing."""

    file: str
    line: int
    message: str
    missing: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class _Missing:
    """The place of a value that is missing."""

    name: str


_Known: TypeAlias = "Value | _Missing"


def render(file: str, text: str, values: Mapping[str, Value]) -> tuple[str, tuple[Problem, ...]]:
    """Return the template ``text`` rendered with ``values``, and why that is not what the operator writes."""
    run = _Run(file, values)
    try:
        run.execute(parsed(text), {})
    except TemplateError as error:
        run.problems.append(Problem(file, error.line, str(error)))
    return "".join(run.found), tuple(dict.fromkeys(run.problems))


@dataclass(slots=True)
class _Run:
    file: str
    values: Mapping[str, Value]
    found: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def execute(self, nodes: Sequence[Node], variables: Mapping[str, Value]) -> None:
        for node in nodes:
            match node:
                case Text(text):
                    self.found.append(text)
                case Shown(line, value):
                    self.found.append(_printed(line, self._value(line, value, variables)))
                case Choice():
                    for body in self._chosen(node):
                        self.execute(body, variables)
                case Range():
                    self._range(node)

    def _chosen(self, node: Choice) -> Iterator[list[Node]]:
        for branch in node.branches:
            holds = True if branch.condition is None else self._value(branch.line, branch.condition, {})
            if holds:
                yield branch.body
            if holds and not isinstance(holds, _Missing):
                return

    def _range(self, node: Range) -> None:
        over = self._value(node.line, Expression("value", node.name), {})
        if isinstance(over, str | int):
            raise TemplateError(node.line, f"{node.name} is {_KINDS[type(over)]}, not a mapping")
        if isinstance(over, Mapping):
            for key, value in sorted(over.items()):
                self.execute(node.body, {node.key: key, node.value: value})

    def _value(self, line: int, wanted: Expression, variables: Mapping[str, Value]) -> _Known:
        match wanted:
            case Expression("literal", operand):
                return operand
            case Expression("variable", str(name)):
                return variables[name]
            case Expression("index", str(name)):
                return self.values.get(name)
            case Expression("value", str(name)):
                if name in self.values:
                    return self.values[name]
                self.problems.append(Problem(self.file, line, f"value {name} is missing", name))
                return _Missing(name)
            case Expression("not", _, (one,)):
                return _negated(self._value(line, one, {}))
            case Expression("and" | "or" as word, _, (one, other)):
                first = self._value(line, one, {})
                # `or` ends at a value that is true, `and` at one that is not
                if not isinstance(first, _Missing) and bool(first) is (word == "or"):
                    return first
                second = self._value(line, other, {})
                return first if isinstance(first, _Missing) else second
            case Expression(word, _, (one, other)):
                return _compared(line, word, self._value(line, one, {}), self._value(line, other, {}))
        raise TemplateError(line, f"not understood: {wanted.kind}")


def _negated(value: _Known) -> _Known:
    return value if isinstance(value, _Missing) else not value


def _compared(line: int, word: str, first: _Known, second: _Known) -> _Known:
    for each in (first, second):
        if isinstance(each, _Missing):
            return each
    if word == "gt" and type(first) is int and type(second) is int:
        return first > second
    if word == "gt" or type(first) is not type(second) or not isinstance(first, str | int):
        raise TemplateError(line, f"{_kind(first)} is not comparable with {_kind(second)}")
    return (first == second) is (word == "eq")


def _printed(line: int, value: _Known) -> str:
    match value:
        case _Missing():
            return ""
        case bool():
            return "true" if value else "false"
        case str() | int():
            return str(value)
    raise TemplateError(line, f"{_kind(value)} cannot be printed")


def _kind(value: _Known) -> str:
    return _KINDS.get(type(value), "a mapping")
