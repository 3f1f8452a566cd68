"""Builds syntax trees from what the parser reads: one method per grammar rule, with cel-go's shapes and positions.

This module does not know which parser calls it.
"""

from collections.abc import Sequence
from typing import Any, Final

from ovnguard.validators.base.cel_names import RESERVED
from ovnguard.validators.cel.syntax import ast, literals
from ovnguard.validators.cel.syntax.literals import LexicalError, LiteralError
from ovnguard.validators.cel.syntax.macros import expand
from ovnguard.validators.cel.syntax.node_factory import Depth, NodeFactory
from ovnguard.validators.cel.syntax.syntax_errors import NOT_NAMES, OPERAND

_OPERATORS: Final = {
    "relation_lt": "_<_",
    "relation_le": "_<=_",
    "relation_gt": "_>_",
    "relation_ge": "_>=_",
    "relation_eq": "_==_",
    "relation_ne": "_!=_",
    "relation_in": "@in",
    "addition_add": "_+_",
    "addition_sub": "_-_",
    "multiplication_mul": "_*_",
    "multiplication_div": "_/_",
    "multiplication_mod": "_%_",
}


_EXPR: Final = Depth(exprs=1)
_CONDITIONAL: Final = Depth(exprs=1, visits=1)
_RELATION: Final = Depth(relations=1)
_SUM: Final = Depth(sums=1)
_VISIT: Final = Depth(visits=1)


class _Terms:
    """Operands of a chain of ``

    `` or ``&&``. As in cel-go, the end of the chain balances them into a tree.
    """

    def __init__(self, function: str, first: ast.Expr) -> None:
        self.function = function
        self.terms = [first]
        self.ops: list[int] = []

    def tree(self, build: NodeFactory) -> ast.Expr:
        if not self.ops:
            return self.terms[0]
        return build.nested(self._balanced(build, 0, len(self.ops) - 1), *self.terms)

    def _balanced(self, build: NodeFactory, low: int, high: int) -> ast.Expr:
        middle = (low + high + 1) // 2
        left = self.terms[middle] if middle == low else self._balanced(build, low, middle - 1)
        right = self.terms[middle + 1] if middle == high else self._balanced(build, middle + 1, high)
        return build.call(self.ops[middle], self.function, left, right)


class _Unary:
    """A run of one prefix operator, which only counts if its length is odd."""

    def __init__(self, function: str, pos: int, operand: ast.Expr) -> None:
        self.function = function
        self.pos = pos
        self.operand = operand
        self.count = 1


def token_pos(token: Any) -> int:
    """Return the offset of a token, in code points."""
    return int(token.start_pos)


def _nodes(children: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(child for child in children if not isinstance(child, str))


class SyntaxTreeBuilder:
    """One method per grammar rule; the parser calls them bottom-up while it reads, so no other tree is ever built.

    Children are what the methods of the parts returned, and tokens: strings with ``type`` and ``start_pos``.
    """

    build: NodeFactory

    def start(self, children: list[Any]) -> Any:
        return children[0]

    member = primary = start

    def expr(self, children: list[Any]) -> ast.Expr:
        first: ast.Expr = children[0].tree(self.build)
        if len(children) == 1:
            return self.build.nested(first, more=_EXPR)
        parts = (first, children[2].tree(self.build), children[4])
        node = self.build.call(token_pos(children[1]), "_?_:_", *parts)
        return self.build.nested(node, *parts, more=_CONDITIONAL)

    def conditionalor(self, children: list[Any]) -> _Terms:
        return self._chain("_||_", [*children[:-1], children[-1].tree(self.build)])

    def conditionaland(self, children: list[Any]) -> _Terms:
        self.build.nested(children[-1], more=_RELATION)
        return self._chain("_&&_", children)

    def _chain(self, function: str, children: list[Any]) -> _Terms:
        if len(children) == 1:
            return _Terms(function, children[0])
        terms: _Terms = children[0]
        terms.ops.append(token_pos(children[1]))
        terms.terms.append(children[2])
        return terms

    def relation(self, children: list[Any]) -> ast.Expr:
        right = self.build.nested(children[-1], more=_SUM)
        if len(children) == 1:
            return right
        return self._binary(children[0], self.build.nested(right, more=_RELATION))

    def addition(self, children: list[Any]) -> ast.Expr:
        if len(children) == 1:
            only: ast.Expr = children[0]
            return only
        return self._binary(children[0], self.build.nested(children[1], more=_SUM))

    def _binary(self, begun: tuple[str, ast.Expr, int], right: ast.Expr) -> ast.Expr:
        function, left, pos = begun
        return self.build.nested(self.build.call(pos, function, left, right), left, right, more=_VISIT)

    def multiplication(self, children: list[Any]) -> ast.Expr:
        operand = children[-1]
        if isinstance(operand, _Unary):
            children = [*children[:-1], self.build.nested(self._prefixed(operand), operand.operand)]
        return self.addition(children)

    def _prefixed(self, unary: _Unary) -> ast.Expr:
        if unary.count % 2 == 0:
            return unary.operand
        operand = unary.operand
        bare = operand.id not in self.build.parenthesised
        value = operand.value if bare and unary.function == "-_" and isinstance(operand, ast.Literal) else None
        if isinstance(value, int | float) and type(value) in {int, float}:
            return self.build.literal(unary.pos, -value)
        return self.build.call(unary.pos, unary.function, operand)

    def unary(self, children: list[Any]) -> Any:
        if len(children) == 1:
            return children[0]
        (function, pos), operand = children
        if not isinstance(operand, _Unary):
            return _Unary(function, pos, operand)
        if operand.function != function:
            sign = "-" if operand.function == "-_" else "!"
            return self.build.issue(operand.pos, f"Syntax error: extraneous input '{sign}' expecting {OPERAND}")
        operand.count += 1
        operand.pos = pos
        return operand

    def unary_not(self, children: list[Any]) -> tuple[str, int]:
        return "!_", token_pos(children[0])

    def unary_neg(self, children: list[Any]) -> tuple[str, int]:
        return "-_", token_pos(children[0])

    def _field(self, token: Any) -> str:
        name = str(token)
        escaped = self.build.escaped.get(token_pos(token))
        if escaped is not None:
            return escaped
        if name in NOT_NAMES:
            mismatch = f"mismatched input '{name}' expecting IDENTIFIER"
            message = f"no viable alternative at input '.{name}'" if name == "in" else mismatch
            self.build.issue(token_pos(token), f"Syntax error: {message}")
        return name

    def member_dot(self, children: list[Any]) -> ast.Expr:
        operand, dot, name = children
        return self._member(ast.Select(self.build.id(), token_pos(dot), operand, self._field(name)), operand)

    def _member(self, node: ast.Expr, *parts: ast.Expr) -> ast.Expr:
        return self.build.nested(node, *parts, more=_VISIT)

    def member_opt_dot(self, children: list[Any]) -> ast.Expr:
        operand, dot, name = children
        field = self.build.literal(token_pos(name), self._field(name))
        return self._member(self.build.call(token_pos(dot), "_?._", operand, field), operand)

    def member_index(self, children: list[Any]) -> ast.Expr:
        operand, index = children[0], children[2]
        return self._member(self.build.call(token_pos(children[1]), "_[_]", operand, index), operand, index)

    def member_opt_index(self, children: list[Any]) -> ast.Expr:
        operand, index = children[0], children[3]
        return self._member(self.build.call(token_pos(children[1]), "_[?_]", operand, index), operand, index)

    def member_dot_arg(self, children: list[Any]) -> ast.Expr:
        target, name, paren = children[0], self._field(children[2]), token_pos(children[3])
        args = children[4] if len(children) == 6 else ()
        expanded = expand(self.build, paren, name, target, args)
        return self._member(expanded or self.build.call(paren, name, *args, target=target), target, *args)

    def ident_arg(self, children: list[Any]) -> ast.Expr:
        return self._global_call("", children)

    def dot_ident_arg(self, children: list[Any]) -> ast.Expr:
        return self._global_call(".", children[1:])

    def _global_call(self, lead: str, children: list[Any]) -> ast.Expr:
        name, paren = str(children[0]), token_pos(children[1])
        if name in RESERVED:
            return self.build.issue(token_pos(children[0]), f"reserved identifier: {name}")
        args = children[2] if len(children) == 4 else ()
        node = expand(self.build, paren, lead + name, None, args) or self.build.call(paren, lead + name, *args)
        return self.build.nested(node, *args)

    def ident(self, children: list[Any]) -> ast.Expr:
        return self._name("", children[0], token_pos(children[0]))

    def dot_ident(self, children: list[Any]) -> ast.Expr:
        return self._name(".", children[1], token_pos(children[0]))

    def _name(self, lead: str, token: Any, pos: int) -> ast.Expr:
        if str(token) in RESERVED:
            return self.build.issue(pos, f"reserved identifier: {token}")
        return self.build.ident(token_pos(token), f"{lead}{token}")

    def paren_expr(self, children: list[Any]) -> Any:
        self.build.parenthesised.add(children[1].id)
        return children[1]

    def exprlist(self, children: list[Any]) -> tuple[ast.Expr, ...]:
        return _nodes(children)

    def list_lit(self, children: list[Any]) -> ast.Expr:
        items = _nodes(children)
        optional = frozenset(at for at, (_, marked) in enumerate(items) if marked)
        elements = tuple(item for item, _ in items)
        node = ast.ListLiteral(self.build.id(), token_pos(children[0]), elements, optional)
        return self.build.nested(node, *elements)

    def list_item(self, children: list[Any]) -> tuple[ast.Expr, bool]:
        return children[0], False

    def optional_item(self, children: list[Any]) -> tuple[ast.Expr, bool]:
        return children[1], True

    def map_lit(self, children: list[Any]) -> ast.Expr:
        node = ast.MapLiteral(self.build.id(), token_pos(children[0]), _nodes(children))
        return self.build.nested(node, *ast.children(node))

    def map_item(self, children: list[Any]) -> ast.Entry:
        return ast.Entry(children[0], children[2])

    def optional_entry(self, children: list[Any]) -> ast.Entry:
        return ast.Entry(children[1], children[3], optional=True)

    def field_item(self, children: list[Any]) -> tuple[str, ast.Expr, int, bool]:
        return self._field(children[0]), children[2], token_pos(children[1]), False

    def optional_field(self, children: list[Any]) -> tuple[str, ast.Expr, int, bool]:
        return self._field(children[1]), children[3], token_pos(children[2]), True

    def member_object(self, children: list[Any]) -> ast.Expr:
        name = ast.qualified_name(children[0])
        if name is None:
            return self.build.issue(token_pos(children[1]), "Syntax error: extraneous input '{' expecting <EOF>")
        node = ast.Message(self.build.id(), token_pos(children[1]), name, _nodes(children[2:]))
        return self.build.nested(node, *ast.children(node))

    def literal(self, children: list[Any]) -> ast.Expr:
        token = children[0]
        try:
            return self.build.literal(token_pos(token), _literal(token.type, str(token)))
        except LiteralError as fault:
            return self.build.issue(token_pos(token), str(fault))
        except LexicalError:
            message = f"Syntax error: token recognition error at: '{token}'"
            return self.build.issue(token_pos(token), message)


def _operator(rule: str, function: str) -> None:
    """Add a method for an incomplete binary expression: operand and operator."""

    def method(_self: SyntaxTreeBuilder, children: list[Any]) -> tuple[str, ast.Expr, int]:
        return function, children[0], token_pos(children[1])

    setattr(SyntaxTreeBuilder, rule, method)


for _rule, _function in _OPERATORS.items():
    _operator(_rule, _function)


def _literal(kind: str, text: str) -> object:
    match kind:
        case "INT_LIT":
            return literals.integer(text)
        case "UINT_LIT":
            return literals.unsigned(text)
        case "FLOAT_LIT":
            return literals.double(text)
        case "BOOL_LIT":
            return text == "true"
        case "NULL_LIT":
            return None
        case _:
            return literals.string(text)
