"""Makes nodes with fresh ids, and copies of trees, while an expression is parsed and its macros are expanded."""

from typing import Final, NamedTuple

from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.dialect import NEWEST, Dialect
from ovnguard.validators.cel.syntax.source_position import Issue


class Depth(NamedTuple):
    """How deep the grammar's rules nest in a part of the text, and how deep the server's parser goes to visit it.

    ``exprs``, ``relations`` and ``sums`` count the rules of these names inside each other (``sums`` is ``calc`` there);
    ``visits`` counts conditionals, binary operators, selections, indexes and calls with a receiver.
    """

    exprs: int = 0
    relations: int = 0
    sums: int = 0
    visits: int = 0


_FLAT: Final = Depth()
_MOST_IDS: Final = 60_000


class Overgrown(Exception):
    """Macros that copy their target, one inside the other, double the tree each time."""


class NodeFactory:
    """Counts ids, collects issues, and knows the macros of the environment, and the depths of the nodes."""

    def __init__(self, macros: frozenset[str], dialect: Dialect = NEWEST) -> None:
        self.macros = macros
        self.dialect = dialect
        self.issues: list[Issue] = []
        self.parenthesised: set[int] = set()
        self.escaped: dict[int, str] = {}
        self.depths: dict[int, tuple[int, int, int, int]] = {}
        self._last = 0

    def id(self) -> int:
        """Return a fresh id. Raises `Overgrown`."""
        self._last += 1
        if self._last > _MOST_IDS:
            raise Overgrown
        return self._last

    def nested(self, node: ast.Expr, *parts: ast.Expr, more: Depth = _FLAT) -> ast.Expr:
        """Return the node, and note its depth: that of its deepest parts and ``more``."""
        depths = self.depths
        exprs, relations, sums, visits = depths.get((parts[0] if parts else node).id, _FLAT)
        for part in parts[1:]:
            other = depths.get(part.id, _FLAT)
            exprs, relations = max(exprs, other[0]), max(relations, other[1])
            sums, visits = max(sums, other[2]), max(visits, other[3])
        depths[node.id] = (exprs + more[0], relations + more[1], sums + more[2], visits + more[3])
        return node

    def issue(self, pos: int, message: str) -> ast.Expr:
        """Record an error and return a placeholder for the missing expression."""
        self.issues.append(Issue(pos, message))
        return ast.Literal(self.id(), pos, None)

    def literal(self, pos: int, value: object) -> ast.Expr:
        """Return a constant."""
        return ast.Literal(self.id(), pos, value)

    def ident(self, pos: int, name: str) -> ast.Expr:
        """Return a name."""
        return ast.Ident(self.id(), pos, name)

    def call(self, pos: int, function: str, *args: ast.Expr, target: ast.Expr | None = None) -> ast.Expr:
        """Return a call, with a receiver if ``target`` is given."""
        return ast.Call(self.id(), pos, function, target, args)

    def fold(  # noqa: PLR0913 - a comprehension has this many parts
        self,
        pos: int,
        macro: str,
        over: ast.Expr,
        names: tuple[str, str],
        accu: tuple[str, ast.Expr],
        *,
        condition: ast.Expr,
        step: ast.Expr,
        result: ast.Expr,
    ) -> ast.Expr:
        """Return a comprehension. ``names`` are its variables (the second may be ""), ``accu`` is name and start."""
        return ast.Comprehension(self.id(), pos, macro, over, *names, *accu, condition, step, result)

    def copy(self, node: ast.Expr) -> ast.Expr:
        """Return the same tree with fresh ids."""
        match node:
            case ast.Literal():
                return ast.Literal(self.id(), node.pos, node.value)
            case ast.Ident():
                return ast.Ident(self.id(), node.pos, node.name)
            case ast.Select():
                return ast.Select(self.id(), node.pos, self.copy(node.operand), node.field, node.test_only)
            case ast.Call():
                target = None if node.target is None else self.copy(node.target)
                return ast.Call(self.id(), node.pos, node.function, target, tuple(map(self.copy, node.args)))
            case ast.ListLiteral():
                return ast.ListLiteral(self.id(), node.pos, tuple(map(self.copy, node.elements)), node.optional)
            case ast.MapLiteral():
                entries = tuple(ast.Entry(self.copy(e.key), self.copy(e.value), e.optional) for e in node.entries)
                return ast.MapLiteral(self.id(), node.pos, entries)
            case ast.Message():
                fields = tuple((name, self.copy(value), pos, opt) for name, value, pos, opt in node.fields)
                return ast.Message(self.id(), node.pos, node.type_name, fields)
            case ast.Comprehension():
                return self.fold(
                    node.pos,
                    node.macro,
                    self.copy(node.range),
                    (node.var, node.var2),
                    (node.accu_var, self.copy(node.accu_init)),
                    condition=self.copy(node.condition),
                    step=self.copy(node.step),
                    result=self.copy(node.result),
                )
