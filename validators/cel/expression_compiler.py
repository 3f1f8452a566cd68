"""From text to program: parses, type-checks, checks constants, plans. The first compilation imports this module."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression, Scope
from ovnguard.validators.cel.checking.environments import environment
from ovnguard.validators.cel.evaluation.evaluation_steps import InstantiationError
from ovnguard.validators.cel.evaluation.planner import CONVERSIONS, PATTERNS, Program, plan
from ovnguard.validators.cel.syntax.dialect import dialect_of
from ovnguard.validators.cel.syntax.expression_depth import make_room
from ovnguard.validators.cel.syntax.source_position import CompileIssues
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type

# Planning calls functions that have constant arguments, which may fail. Without any, planning can wait.
_PLAIN_NAMES_SINCE: Final = 31
_LITERALS_SINCE: Final = 29
_FOLDED: Final = frozenset({*CONVERSIONS, *PATTERNS, "_[_]", "_[?_]"})
"""The functions whose constant arguments may prevent a program."""


class CompileError(Exception):
    """The expression cannot be compiled. ``text`` lists every issue; line and column are those of the first."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.line = line
        self.column = column


@dataclass(slots=True)
class Compiled:
    """An expression that type-checks. Its program is planned when it is first used."""

    checked: CheckedExpression
    minor: int
    _program: Program | None = None

    @property
    def program(self) -> Program:
        """The planned expression. Raises `InstantiationError` the first time."""
        if self._program is None:
            make_room(self.checked.root)
            known = environment(self.minor, self.checked.release)
            self._program = plan(self.checked, known.functions, known.type_names)
        return self._program

    def uses(self, name: str) -> bool:
        """Return whether the expression refers to a variable."""
        return name in self.checked.variables.values()


def objects_of(decl: Decl, found: dict[str, Decl] | None = None) -> dict[str, Decl]:
    """Return every object type in a declaration, by name."""
    found = {} if found is None else found
    if decl.shape == "object" and decl.type is not None:
        found[decl.type.name] = decl
        for inner in (decl.properties or {}).values():
            objects_of(inner, found)
    elif decl.element is not None:
        objects_of(decl.element, found)
    return found


def check_expression(
    text: str, variables: Mapping[str, Type], objects: Mapping[str, Decl], minor: int, release: int | None = None
) -> CheckedExpression:
    """Parse and type-check with the libraries of a minor version, in a server of ``release``. Raises `CompileError`."""
    from ovnguard.validators.cel.checking.literal_checks import check_literals
    from ovnguard.validators.cel.checking.type_checker import check  # who reads compiled rules needs no compiler
    from ovnguard.validators.cel.syntax.parse import parse

    known = environment(minor, release)
    try:
        root = parse(text, known.macros, dialect_of(known.release))
        make_room(root)
        names = known.minor >= _PLAIN_NAMES_SINCE
        scope = Scope(variables, known.functions, known.type_names, objects, known.release, names)
        checked = check(text, root, scope)
        check_literals(checked, arguments=known.minor >= _LITERALS_SINCE)
    except CompileIssues as fault:
        raise CompileError(fault.text, fault.line, fault.column) from None
    return checked


def instantiate(checked: CheckedExpression, minor: int) -> Compiled:
    """Plan a checked expression. Raises `InstantiationError`."""
    made = Compiled(checked, minor)
    names_type = any(held.kind == "type" for held in checked.types.values())
    if names_type or not _FOLDED.isdisjoint(checked.functions):
        assert made.program is not None
    return made


__all__ = ["CompileError", "Compiled", "InstantiationError", "check_expression", "instantiate", "objects_of"]
