"""The syntax tree of a CEL expression: immutable, with expanded macros and a position in every node.

``pos`` is the offset in code points of the token where cel-go reports errors: the operator of a binary expression, the
dot of a selection, the opening parenthesis of a call. ``id`` identifies a node; types and references are kept by id,
outside the tree.
"""

from typing import NamedTuple, TypeAlias

ACCUMULATOR = "@result"


class Literal(NamedTuple):
    """A constant: bool, int, `UInt`, float, str, bytes or None."""

    id: int
    pos: int
    value: object


class Ident(NamedTuple):
    """A name. A leading dot (``.name``) is kept."""

    id: int
    pos: int
    name: str


class Select(NamedTuple):
    """``operand.field``, or ``has(operand.field)`` if ``test_only``."""

    id: int
    pos: int
    operand: "Expr"
    field: str
    test_only: bool = False


class Call(NamedTuple):
    """``function(args)`` or ``target.function(args)``. Operators are functions with names like ``_+_``."""

    id: int
    pos: int
    function: str
    target: "Expr | None"
    args: tuple["Expr", ...]


class ListLiteral(NamedTuple):
    """``[a, ?b]``. ``optional`` has the indexes of elements marked with ``?``."""

    id: int
    pos: int
    elements: tuple["Expr", ...]
    optional: frozenset[int] = frozenset()


class Entry(NamedTuple):
    """One ``key: value`` of a map, ``optional`` if marked with ``?``."""

    key: "Expr"
    value: "Expr"
    optional: bool = False


class MapLiteral(NamedTuple):
    """``{k: v, ?k: v}``."""

    id: int
    pos: int
    entries: tuple[Entry, ...]


class Message(NamedTuple):
    """``Name{field: value}``. ``fields`` are (name, value, position, optional)."""

    id: int
    pos: int
    type_name: str
    fields: tuple[tuple[str, "Expr", int, bool], ...]


class Comprehension(NamedTuple):
    """A comprehension, made by a macro over a range. ``macro`` is its name; ``var2`` is "" if it has one variable."""

    id: int
    pos: int
    macro: str
    range: "Expr"
    var: str
    var2: str
    accu_var: str
    accu_init: "Expr"
    condition: "Expr"
    step: "Expr"
    result: "Expr"


Expr: TypeAlias = Literal | Ident | Select | Call | ListLiteral | MapLiteral | Message | Comprehension


def children(node: Expr) -> tuple[Expr, ...]:
    """Return the direct parts of a node, in the order of the source."""
    match node:
        case Select():
            return (node.operand,)
        case Call():
            return (*(() if node.target is None else (node.target,)), *node.args)
        case ListLiteral():
            return node.elements
        case MapLiteral():
            return tuple(part for entry in node.entries for part in (entry.key, entry.value))
        case Message():
            return tuple(value for _, value, _, _ in node.fields)
        case Comprehension():
            return (node.range, node.accu_init, node.condition, node.step, node.result)
        case _:
            return ()


def qualified_name(node: Expr) -> str | None:
    """Return the name ``a.b.c`` if the node has that form, else None."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test_only:
        head = qualified_name(node.operand)
        return None if head is None else f"{head}.{node.field}"
    return None
