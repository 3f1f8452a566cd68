"""The type checker: finds the type of every node and the target of every name and call, or reports an error.

Source: cel-go, ``checker``; the texts are cel-go's. Types and references are kept by node id, outside the tree.
"""

from typing import Any, Final

from ovnguard.validators.base.cel_names import RESERVED
from ovnguard.validators.cel.checking.checked_expression import CheckedExpression, Scope
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.source_position import CompileIssues, Issue
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.overload_resolution import Resolution
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.values.cel_values import TypeValue
from ovnguard.validators.cel.values.protobuf_messages import message

LAST_WITH_SHORT_NAMES: Final = 30
_LIST_MESSAGE: Final = "google.protobuf.ListValue"
_SCOPES_SINCE: Final = 37  # locals come first, a leading dot skips them, and a variable cannot be taken for a message


def check(source: str, root: ast.Expr, scope: Scope) -> CheckedExpression:
    """Type-check. Raises `CompileIssues`."""
    checker = _Checker(scope)
    checker.visit(root)
    if checker.issues:
        raise CompileIssues(source, checker.issues)
    final = {node: checker.bindings.resolve(held, to_dyn=True) for node, held in checker.types.items()}
    return CheckedExpression(
        source, root, final, checker.overloads, checker.constants, checker.variables, checker.globals, scope.release
    )


class _Checker:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.issues: list[Issue] = []
        self.types: dict[int, Type] = {}
        self.overloads: dict[int, tuple[Overload, ...]] = {}
        self.constants: dict[int, TypeValue] = {}
        self.variables: dict[int, str] = {}
        self.globals: dict[int, str] = {}
        self.resolution = Resolution()
        self.bindings = self.resolution.bindings
        self.locals: list[dict[str, Type]] = []

    def visit(self, node: ast.Expr) -> Type:
        """Check a node and its parts. Its type is recorded and returned."""
        held = self._typed(node)
        known = self.types.setdefault(node.id, held)
        if known != held:
            # Only trees of older parsers have the same node twice.
            self._issue(node, "incompatible type already exists")
        return known

    def _typed(self, node: ast.Expr) -> Type:
        match node:
            case ast.Literal():
                return _literal_type(node.value)
            case ast.Ident():
                return self._ident(node)
            case ast.Select():
                return self._select(node)
            case ast.Call():
                return self._optional_select(node) if node.function == "_?._" else self._call(node)
            case ast.ListLiteral():
                return self._list(node)
            case ast.MapLiteral():
                return self._map(node)
            case ast.Message():
                return self._message(node)
            case ast.Comprehension():
                return self._comprehension(node)

    def _issue(self, node: ast.Expr, message: str) -> None:
        if self.scope.release <= LAST_WITH_SHORT_NAMES:
            message = message.replace("optional_type(", "optional(")
        self.issues.append(Issue(node.pos, message))

    def _undeclared(self, node: ast.Expr, name: str) -> Type:
        self._issue(node, f"undeclared reference to '{name}' (in container '')")
        return types.ERROR

    def _lookup(self, node: ast.Expr, name: str) -> Type | None:
        """Return the type of a variable or of a type's name, and record it as the node's reference."""
        plain = name.removeprefix(".")
        first = plain.partition(".")[0]
        hidden = self.scope.release >= _SCOPES_SINCE and any(first in names for names in self.locals)
        if hidden and name == plain != first:
            # The name selects from a local variable.
            return None
        for names in () if hidden and name != plain else reversed(self.locals):
            if plain in names:
                self.variables[node.id] = plain
                return names[plain]
        if plain in self.scope.variables:
            self.variables[node.id] = name if hidden else plain
            return self.scope.variables[plain]
        held = self.scope.type_names.get(plain)
        if held is not None and hidden:
            # Its leading dot stays in the name, which is then no type when the program is made.
            self.variables[node.id] = name
            return types.type_of(held)
        if held is not None:
            self.constants[node.id] = TypeValue(plain)
            return types.type_of(held)
        found = message(plain)
        if found is not None:
            # A message is a type to the checker, but no value when the program is made.
            self.variables[node.id] = name if hidden else plain
            return types.type_of(found[1].result)
        return None

    def _ident(self, node: ast.Ident) -> Type:
        return self._lookup(node, node.name) or self._undeclared(node, node.name)

    def _select(self, node: ast.Select) -> Type:
        if not node.test_only:
            name = ast.qualified_name(node)
            found = None if name is None else self._lookup(node, name)
            if found is not None:
                return found
        held = self._field_type(node, node.operand, node.field, optional=False)
        return types.BOOL if node.test_only else self.bindings.resolve(held)

    def _optional_select(self, node: ast.Call) -> Type:
        operand, name = node.args
        assert isinstance(name, ast.Literal)
        self.types[name.id] = types.STRING
        return self.bindings.resolve(self._field_type(node, operand, str(name.value), optional=True))

    def _field_type(self, node: ast.Expr, operand: ast.Expr, name: str, *, optional: bool) -> Type:
        target, inside = types.unwrap_optional(self.bindings.resolve(self.visit(operand)))
        found = types.ERROR
        match target.kind:
            case "map":
                found = target.params[1]
            case "struct":
                found = self._struct_field(node, target, name)
            case "param":
                self.bindings.assignable(types.DYN, target)
                found = types.DYN
            case _:
                if target.kind not in {"dyn", "any", "error"}:
                    self._issue(node, f"type '{target}' does not support field selection")
                found = types.DYN
        return types.optional_of(found) if inside or optional else found

    def _struct_field(self, node: ast.Expr, target: Type, name: str) -> Type:
        decl = self.scope.objects.get(target.name)
        found = None if decl is None else decl.field(name)
        if name in RESERVED and not self.scope.plain_names:
            found = None
        if found is None or found[1].type is None:
            if decl is None:
                self._issue(node, f"unexpected failed resolution of '{target.name}'")
            else:
                self._issue(node, f"undefined field '{name}'")
            return types.ERROR
        return found[1].type

    def _call(self, node: ast.Call) -> Type:
        arguments = [self.visit(arg) for arg in node.args]
        if node.target is None:
            name = node.function.removeprefix(".")
            if name not in self.scope.functions:
                return self._undeclared(node, node.function)
            return self._resolve(node, name, arguments, member=False)
        prefix = ast.qualified_name(node.target)
        if prefix is not None:
            name = f"{prefix}.{node.function}".removeprefix(".")
            if name in self.scope.functions:
                self.globals[node.id] = name
                return self._resolve(node, name, arguments, member=False)
        arguments.insert(0, self.visit(node.target))
        if node.function not in self.scope.functions:
            return self._undeclared(node, node.function)
        return self._resolve(node, node.function, arguments, member=True)

    def _resolve(self, node: ast.Call, name: str, arguments: list[Type], *, member: bool) -> Type:
        if name in {"_&&_", "_||_"}:
            return self._logical(node, self.scope.functions[name], arguments)
        found = self.resolution.choose(self.scope.functions[name], arguments, member=member)
        if found is None:
            signature = self.resolution.signature(arguments, member=member)
            self._issue(node, f"found no matching overload for '{name}' applied to '{signature}'")
            return types.ERROR
        self.overloads[node.id], result = found
        return result

    def _logical(self, node: ast.Call, candidates: tuple[Overload, ...], arguments: list[Type]) -> Type:
        fine = True
        for arg, held in zip(node.args, arguments, strict=True):
            if not self.bindings.assignable(held, types.BOOL):
                self._mismatch(arg, types.BOOL, held)
                fine = False
        if not fine:
            return types.ERROR
        self.overloads[node.id] = candidates
        return types.BOOL

    def _mismatch(self, node: ast.Expr, wanted: Type, actual: Type) -> None:
        self._issue(node, f"expected type '{wanted}' but found '{actual}'")

    def _unwrapped(self, node: ast.Expr, held: Type) -> Type:
        inner, optional = types.unwrap_optional(held)
        if not optional and held.kind != "dyn":
            self._mismatch(node, types.optional_of(held), held)
        return inner

    def _list(self, node: ast.ListLiteral) -> Type:
        joined: Type | None = None
        for at, element in enumerate(node.elements):
            held = self.visit(element)
            if at in node.optional:
                held = self._unwrapped(element, held)
            joined = self.resolution.join(joined, held)
        return types.list_of(joined or self.resolution.variable())

    def _map(self, node: ast.MapLiteral) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            key = self.resolution.join(key, self.visit(entry.key))
            held = self.visit(entry.value)
            if entry.optional:
                held = self._unwrapped(entry.value, held)
            value = self.resolution.join(value, held)
        return types.map_of(key or self.resolution.variable(), value or self.resolution.variable())

    def _message(self, node: ast.Message) -> Type:
        name = node.type_name.removeprefix(".")
        found = message(_LIST_MESSAGE if name == "list" and self.scope.release >= _SCOPES_SINCE else name)
        held = None if self.scope.release >= _SCOPES_SINCE else self.scope.variables.get(name)
        if found is None or held is not None:
            return self._no_message(node, name, held)
        for field, value, pos, optional in node.fields:
            actual = self.visit(value)
            if optional:
                actual = self._unwrapped(value, actual)
            wanted = found[1].fields.get(field)
            if wanted is None:
                self.issues.append(Issue(pos, f"undefined field '{field}'"))
            elif not self.bindings.assignable(wanted, actual):
                text = f"expected type of field '{field}' is '{wanted}' but provided type is '{actual}'"
                self.issues.append(Issue(pos, text))
        return found[1].result

    def _no_message(self, node: ast.Message, name: str, held: Type | None) -> Type:
        known = self.scope.type_names.get(name)
        if held is not None:
            self._issue(node, f"'{held}' is not a type")
        elif known is not None:
            self._issue(node, f"'{known.name or known.kind}' is not a message type")
        else:
            return self._undeclared(node, node.type_name)
        for field, value, pos, _ in node.fields:
            self.visit(value)
            text = f"undefined field '{field}'" if held is None else f"unexpected failed resolution of '{name}'"
            self.issues.append(Issue(pos, text))
        return types.ERROR

    def _comprehension(self, node: ast.Comprehension) -> Type:
        over = self.visit(node.range)
        accu = self.visit(node.accu_init)
        first, second = self._range_types(node, self.bindings.resolve(over))
        self.locals.append({node.accu_var: accu})
        names = {node.var: first}
        if node.var2:
            names[node.var2] = second
        self.locals.append(names)
        self._assert(node.condition, self.visit(node.condition), types.BOOL)
        self._assert(node.step, self.visit(node.step), accu)
        self.locals.pop()
        result = self.visit(node.result)
        self.locals.pop()
        return self.bindings.resolve(result)

    def _assert(self, node: ast.Expr, actual: Type, wanted: Type) -> None:
        if not self.bindings.assignable(wanted, actual):
            self._mismatch(node, wanted, actual)

    def _range_types(self, node: ast.Comprehension, over: Type) -> tuple[Type, Type]:
        match over.kind:
            case "list":
                element = over.params[0]
                return (types.INT, element) if node.var2 else (element, element)
            case "map":
                return over.params[0], over.params[1]
            case "dyn" | "error" | "param":
                self.bindings.assignable(types.DYN, over)
                return types.DYN, types.DYN
            case _:
                text = f"expression of type '{over}' cannot be range of a comprehension (must be list, map, or dynamic)"
                self._issue(node.range, text)
                return types.ERROR, types.ERROR


def _literal_type(value: Any) -> Type:
    if value is None:
        return types.NULL
    return _LITERALS[type(value).__name__]


_LITERALS = {
    "bool": types.BOOL,
    "int": types.INT,
    "UInt": types.UINT,
    "float": types.DOUBLE,
    "str": types.STRING,
    "bytes": types.BYTES,
}
