"""Makes nodes with fresh ids, and copies of trees, while an expression is parsed and its macros are expanded."""

from validators.cel.syntax import ast
from validators.cel.syntax.source_position import Issue


class NodeFactory:
    """Counts ids, collects issues, and knows the macros of the environment."""

    def __init__(self, macros: frozenset[str]) -> None:
        self.macros = macros
        self.issues: list[Issue] = []
        self.parenthesised: set[int] = set()
        self._last = 0

    def id(self) -> int:
        """Return a fresh id."""
        self._last += 1
        return self._last

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
