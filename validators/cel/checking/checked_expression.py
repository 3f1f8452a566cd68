"""Input and result of the type checker. Types and references are kept by node id, outside the tree."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.values.cel_values import TypeValue

_DEFAULT: Final = minor(DEFAULT_KUBERNETES)


class Scope(NamedTuple):
    """What an expression can refer to: variables, types by name, functions, object types by name."""

    variables: Mapping[str, Type]
    functions: Mapping[str, tuple[Overload, ...]]
    type_names: Mapping[str, Type]
    objects: Mapping[str, Decl]
    release: int = _DEFAULT
    plain_names: bool = True
    """Whether fields named like reserved words may be selected without an escape."""


class CheckedExpression(NamedTuple):
    """A checked expression: types by node id, overloads of calls, type values of names, resolved qualified names."""

    source: str
    root: ast.Expr
    types: dict[int, Type]
    overloads: dict[int, tuple[Overload, ...]]
    constants: dict[int, TypeValue]
    variables: dict[int, str]
    globals: dict[int, str]
    release: int = _DEFAULT
    """The minor version of the server that judges. It decides what functions do and what they are estimated at."""

    @property
    def result(self) -> Type:
        """The type of the whole expression."""
        return self.types[self.root.id]

    @property
    def functions(self) -> set[str]:
        """The names of the called functions."""
        return {one.function for found in self.overloads.values() for one in found}

    def type_at(self, node: ast.Expr) -> Type:
        """Return the type of a node."""
        return self.types[node.id]
