"""The commands that a script of ovnkube's manifests starts, with their words, as far as objects decide these.

A variable has every value that it may have: both branches of an `if` count where nothing decides its condition. What
only the running shell knows, such as the output of a program, stays in a value as the name of its variable.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.network.ovnkube_settings.shell_conditions import (
    UNDECIDED,
    Values,
    expression,
    listed,
    negated,
    plain,
    undecided,
)
from ovnguard.validators.network.ovnkube_settings.shell_syntax import Block, Chain, Command, Function, If, Node
from ovnguard.validators.network.ovnkube_settings.shell_words import Part, Word

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_MOST_VALUES: Final = 8
_MOST_CALLS: Final = 64
_MAX_VALUE: Final = 16_384
_MAX_DEPTH: Final = 8
_MAX_STEPS: Final = 4_000
_MOST_PARTS: Final = 500
_DECLARING: Final = frozenset({"local", "export", "declare", "readonly", "typeset"})
_ENDING: Final = frozenset({"exit", "return"})


class WordValue(NamedTuple):
    """The fields that a word of a command becomes, for each of its possible values, and the variable that decides."""

    fields: tuple[tuple[str, ...], ...]
    variable: str


Call: TypeAlias = tuple[WordValue, ...]
"""The words of one command."""


class Script:
    """A run of scripts in one shell.

    ``environment`` are the variables at the start; ``closed``: others are unset, else they are undecided. ``wanted``
    selects commands by the base name of their program. ``sourced`` returns the tree of a file, those of all files that
    an undecided path may name, and nothing for an unknown file, which is then among ``missing``.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        wanted: frozenset[str],
        sourced: Callable[[str], Sequence[Sequence[Node]]],
        *,
        closed: bool,
    ) -> None:
        self._values: dict[str, Values] = {name: (value,) for name, value in environment.items()}
        self._wanted = wanted
        self._sourced = sourced
        self._closed = closed
        self._functions: dict[str, Sequence[Node]] = {}
        self._steps = 0
        self._depth = 0
        self._files = 0
        self.calls: list[Call] = []
        self.missing: list[str] = []

    @property
    def functions(self) -> Sequence[str]:
        """The names of the functions that are defined so far."""
        return tuple(self._functions)

    def run(self, nodes: Sequence[Node]) -> bool:
        """Follow ``nodes`` and return whether they end the shell or the function."""
        return any(self._follow(node) for node in nodes)

    def call(self, name: str, arguments: Sequence[Values] = ()) -> None:
        """Follow a function; its unknown arguments are undecided."""
        if self._depth >= _MAX_DEPTH:
            return
        before = {each: values for each, values in self._values.items() if each.isdigit()}
        for each in before:
            del self._values[each]
        self._values.update({str(at): values for at, values in enumerate(arguments, 1)})
        self._depth += 1
        self.run(self._functions[name])
        self._depth -= 1
        self._values = {each: values for each, values in self._values.items() if not each.isdigit()} | before

    def _follow(self, node: Node) -> bool:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return True
        match node:
            case Function(name, nodes):
                self._functions[name] = nodes
            case If(branches):
                return self._branch(branches)
            case Block(nodes, skipped):
                if not skipped:
                    return self.run(nodes)
                self._maybe(nodes)
            case Chain(nodes, operators):
                return self._chain(nodes, operators)
            case Command(words):
                return self._command(words)
        return False

    def _chain(self, nodes: Sequence[Node], operators: Sequence[str]) -> bool:
        """A list: a later command that may be left out is one that may be skipped."""
        held = self._holds(nodes[0])
        if held is None and self._follow(nodes[0]):
            return True
        for operator, node in zip(operators, nodes[1:], strict=True):
            if operator == "|" or held is None:
                self._maybe((node,))
                held = None
            elif held is (operator == "&&"):
                held = self._holds(node)
                if held is None and self._follow(node):
                    return True
        return False

    def _maybe(self, nodes: Sequence[Node]) -> None:
        before = dict(self._values)
        if self.run(nodes):
            self._values = before
        else:
            self._merge([before, self._values])

    def _branch(self, branches: Sequence[tuple[Sequence[Node] | None, Sequence[Node]]]) -> bool:
        before, outcomes, ends = self._values, list[dict[str, Values]](), list[bool]()
        possible = True
        for condition, body in branches:
            holds = True if condition is None else self._all_hold(condition)
            if holds is False:
                continue
            self._values = dict(before)
            ends.append(self.run(body))
            if not ends[-1]:
                outcomes.append(self._values)
            if holds:
                possible = False
                break
        if possible:
            outcomes.append(before)
        self._merge(outcomes or [before])
        return not outcomes

    def _merge(self, outcomes: Sequence[Mapping[str, Values]]) -> None:
        names = dict.fromkeys(name for each in outcomes for name in each)
        self._values = {
            name: _few(name, [value for each in outcomes for value in each.get(name, self._unset(name))])
            for name in names
        }

    def _unset(self, name: str) -> Values:
        return ("",) if self._closed and not (name.isdigit() and not self._depth) else (undecided(name),)

    def _command(self, words: Sequence[Word]) -> bool:
        at, assigned = 0, list[tuple[str, Values]]()
        while at < len(words) and (found := self._assignment(words[at])):
            assigned.append(found)
            at += 1
        if at == len(words):
            self._values.update(assigned)
            return False
        program = self._text(words[at])
        if program in _DECLARING:
            self._values.update(found for word in words[at + 1 :] if (found := self._assignment(word)))
            return False
        if program in _ENDING:
            return True
        if program == "exec":
            at += 1
            program = self._text(words[at]) if at < len(words) else None
        if program in (".", "source") and at + 1 < len(words):
            return self._source(self._text(words[at + 1]) or "")
        if program in self._functions:
            self.call(program, [self._values_of(word) for word in words[at + 1 :]])
            return False
        if program is not None and program.rpartition("/")[2] in self._wanted and len(self.calls) < _MOST_CALLS:
            self.calls.append(tuple(self._word(word) for word in words[at + 1 :]))
        return at > 0 and self._text(words[at - 1]) == "exec"

    def _source(self, path: str) -> bool:
        """Follow a file, or one or none of those that it may be; one that no object contains is missing."""
        if self._files >= _MAX_DEPTH:
            return False
        self._files += 1
        trees, ends = self._sourced(path), False
        if UNDECIDED.search(path):
            self._branch([((), tree) for tree in trees])
        else:
            ends = any(map(self.run, trees))
            self.missing += [path.rpartition("/")[2]] if path and not trees else []
        self._files -= 1
        return ends

    def _assignment(self, word: Word) -> tuple[str, Values] | None:
        found = _ASSIGNMENT.match(word[0].text) if word and word[0].name is None and not word[0].quoted else None
        if found is None:
            return None
        first = word[0]._replace(text=word[0].text[found.end() :])
        name = found[1]
        values = self._values_of((first, *word[1:]))
        for nameless in {part.name for part in word if part.name is not None and not part.name.strip("0123456789")}:
            values = tuple(value.replace(undecided(nameless), undecided(name)) for value in values)
        if found[2]:
            values = tuple(old + new for old, new in product(self._known(name), values))
        return name, _few(name, values)

    def _known(self, name: str) -> Values:
        return self._values.get(name) or self._unset(name)

    def _values_of(self, word: Word) -> Values:
        """The possible values of a word that is not split into fields."""
        if len(word) > _MOST_PARTS:
            return (undecided(""),)
        values: Values = ("",)
        for part in word:
            values = _few(part.name or "", [old + new for old, new in product(values, self._part(part))])
        return values

    def _part(self, part: Part) -> Values:
        if part.name is None:
            return (plain(part.text),)
        if not part.name:
            return (undecided(""),)
        values = self._known(part.name)
        if part.altered:
            return _few(part.name, [value and undecided(part.name) for value in values])
        if part.default is None:
            return values
        default = self._values_of(part.default)
        return _few(part.name, [each for value in values for each in ((value,) if value else default)])

    def _word(self, word: Word) -> WordValue:
        """The fields of a word of a command, which the shell splits where a variable is not quoted."""
        splits = any(part.name is not None and not part.quoted for part in word)
        values = self._values_of(word)
        names = [part.name for part in word if part.name]
        fields = tuple(dict.fromkeys(tuple(value.split()) if splits else (value,) for value in values))
        return WordValue(fields, names[0] if names else "")

    def _text(self, word: Word) -> str | None:
        """The one value of a word."""
        values = self._values_of(word)
        return values[0] if len(values) == 1 else None

    def _all_hold(self, nodes: Sequence[Node]) -> bool | None:
        return self._holds(nodes[-1]) if len(nodes) == 1 else None

    def _holds(self, node: Node) -> bool | None:
        """Whether a test holds; None for any other command, and where nothing decides it."""
        match node:
            case Command(words) if words:
                return self._test([self._values_of(word) for word in words])
            case Chain(nodes, operators) if "|" not in operators:
                results = [self._holds(each) for each in nodes]
                return listed(results, operators)
        return None

    def _test(self, words: Sequence[Values]) -> bool | None:
        program = words[0][0] if len(words[0]) == 1 else ""
        if program == "!":
            return negated(self._test(words[1:])) if len(words) > 1 else None
        if program in ("true", "false", ":") and len(words) == 1:
            return program != "false"
        closing = {"[": ("]",), "[[": ("]]",)}.get(program)
        if closing is None or words[-1] != closing:
            return None
        match words[1:-1]:
            case [("-f",), (path,)] if not UNDECIDED.search(path) and any(self._sourced(path)):
                return True
        return expression(words[1:-1])


def _few(name: str, values: Sequence[str]) -> Values:
    """The different ones of ``values``; too many, or too long ones, are undecided."""
    different = tuple(dict.fromkeys(values))
    if len(different) > _MOST_VALUES or any(len(each) > _MAX_VALUE for each in different):
        return (undecided(name),)
    return different
