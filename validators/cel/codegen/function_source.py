"""Generates Python source for a checked rule: one expression over plain JSON values.

The expression may only be used on data that has the schema's types exactly (an integer is an int, not a float or a
bool; null only if nullable). If it then yields a value, CEL yields the same value. If CEL has an error, or the result
is not plain, it raises an error of Python or of CEL, and the exact evaluator decides. It does not count cost:
`estimate.bound` shows whether the budget can be exceeded.

Names and literals of a rule are never part of the source text: they are constants, referred to by index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.codegen.call_forms import INFIX, SAFE_CALLS, is_plain, is_scalar
from ovnguard.validators.cel.codegen.expression_parts import (
    Names,
    Part,
    Unsupported,
    callable_with,
    common,
    converted,
    findable,
    int_or_string,
    without_schema,
)
from ovnguard.validators.cel.codegen.loop_forms import LOOPS, loop_of
from ovnguard.validators.cel.codegen.rule_runtime import plain_scalar
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.expression_depth import depth
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type, unwrap_optional
from ovnguard.validators.cel.values.cel_values import UInt

_MAX_DEPTH: Final = 40  # Python reads 200 nested parentheses, and one node may need two


def fast_code(
    checked: CheckedExpression, decl: Decl, names: Names, *, self_name: str = "value", old_name: str = "old"
) -> str:
    """Return the generated form, an expression over the names of self and oldSelf. Raises `Unsupported`.

    An optional oldSelf is None if there is no old value.
    """
    if depth(checked.root) > _MAX_DEPTH:
        raise Unsupported
    writer = _Writer(checked, decl, names, {"self": self_name, "oldSelf": old_name})
    return writer.write(checked.root).source


def _read(part: Part) -> Part:
    """Return a variable that is read: what is inside an optional has no schema from there on."""
    if part.decl is None or not unwrap_optional(part.type)[1]:
        return part
    return replace(part, decl=without_schema(part.decl))


class _Writer:
    def __init__(self, checked: CheckedExpression, decl: Decl, names: Names, variables: Mapping[str, str]) -> None:
        self.checked = checked
        self.decl = decl
        self.names = names
        self.variables = variables
        self.locals: list[dict[str, Part]] = []

    def write(self, node: ast.Expr) -> Part:
        """Return the source of one node. Raises `Unsupported`."""
        if node.id in self.checked.constants:
            raise Unsupported
        variable = self.checked.variables.get(node.id)
        if variable is not None:
            return self._variable(variable, node)
        match node:
            case ast.Literal():
                return Part(self._literal(node.value), self.checked.type_at(node))
            case ast.Select():
                return self._presence(node) if node.test_only else self._select(node)
            case ast.Call():
                return self._call(node)
            case ast.ListLiteral():
                return self._list(node)
            case ast.MapLiteral() if not node.entries:
                return Part("{}", self.checked.type_at(node))
            case ast.Comprehension():
                return self._comprehension(node)
            case _:
                raise Unsupported

    def _variable(self, name: str, node: ast.Expr) -> Part:
        for names in reversed(self.locals):
            if name in names:
                return _read(names[name])
        if name not in self.variables:
            raise Unsupported
        return _read(self.data(self.variables[name], self.checked.type_at(node), self.decl))

    def data(self, source: str, held: Type, decl: Decl | None) -> Part:
        """Return a part that reads data. Data that must be converted to a CEL value has no generated form."""
        if decl is not None and (decl.shape in {"unknown", "invalid"} or converted(decl)):
            raise Unsupported
        if decl is not None and decl.shape == "number" and unwrap_optional(held)[1]:
            raise Unsupported
        if decl is not None and decl.shape == "number":
            source = f"float_({source})"
        return Part(source, held, decl)

    def _literal(self, value: Any) -> str:
        if type(value) is bool or value is None:
            return repr(value)
        if type(value) not in {int, str, float, UInt}:
            raise Unsupported
        return self.names.constant(value)

    def _field(self, operand: Part, name: str) -> tuple[str, Decl | None, bool]:
        """Return JSON name, declaration of the value, and whether null means absent."""
        decl = operand.decl
        if decl is None:
            raise Unsupported
        if decl.shape == "map":
            if decl.element is None or decl.element.nullable:
                raise Unsupported
            return name, decl.element, False
        found = decl.field(name)
        if found is None or not decl.names_are_escaped:
            raise Unsupported
        return found[0], found[1], found[1].nullable

    def _presence(self, node: ast.Select) -> Part:
        operand = self.write(node.operand)
        name, decl, nullable = self._field(operand, node.field)
        if decl is not None and (decl.shape == "invalid" or converted(decl)):
            # Whether it is there is an error if its conversion fails.
            raise Unsupported
        key = self.names.constant(name)
        held = self.checked.type_at(node)
        if unwrap_optional(operand.type)[1]:
            return Part(f"(get({operand.source}, {key}) is not None)", held)
        if nullable:
            return Part(f"({operand.source}.get({key}) is not None)", held)
        return Part(f"({key} in {operand.source})", held)

    def _select(self, node: ast.Select) -> Part:
        operand = self.write(node.operand)
        name, decl, nullable = self._field(operand, node.field)
        key = self.names.constant(name)
        held = self.checked.type_at(node)
        if unwrap_optional(operand.type)[1]:
            return self.data(f"get({operand.source}, {key})", held, decl)
        source = f"{operand.source}[{key}]"
        return self.data(f"present({source})" if nullable else source, held, decl)

    def _call(self, node: ast.Call) -> Part:
        held = self.checked.type_at(node)
        match node.function:
            case "_&&_" | "_||_":
                word = " and " if node.function == "_&&_" else " or "
                return Part(f"({word.join(self._boolean(arg) for arg in node.args)})", held)
            case "!_":
                return Part(f"(not {self._boolean(node.args[0])})", held)
            case "_?_:_":
                return self._conditional(node, held)
            case "_?._":
                return self._optional_select(node, held)
            case "_[_]" | "_[?_]":
                return self._index(node, held)
            case "_==_" | "_!=_":
                return self._equality(node, held)
            case "orValue" | "hasValue" | "value" if node.target is not None:
                return self._optional_call(node, held)
            case _:
                return self._function(node, held)

    def _boolean(self, node: ast.Expr) -> str:
        part = self.write(node)
        if part.type.kind != "bool":
            raise Unsupported
        return part.source

    def _conditional(self, node: ast.Call, held: Type) -> Part:
        condition = self._boolean(node.args[0])
        yes, no = self.write(node.args[1]), self.write(node.args[2])
        decl = common(yes, no)
        return Part(f"({yes.source} if {condition} else {no.source})", held, decl)

    def _optional_select(self, node: ast.Call, held: Type) -> Part:
        operand, name = self.write(node.args[0]), node.args[1]
        assert isinstance(name, ast.Literal)
        found, decl, _ = self._field(operand, str(name.value))
        key = self.names.constant(found)
        if unwrap_optional(operand.type)[1]:
            return self.data(f"get({operand.source}, {key})", held, decl)
        return self.data(f"{operand.source}.get({key})", held, decl)

    def _index(self, node: ast.Call, held: Type) -> Part:
        operand, key = self.write(node.args[0]), self.write(node.args[1])
        inside, optional = unwrap_optional(operand.type)
        decl = operand.decl
        if decl is None and inside.kind == "list" and is_scalar(inside.params[0]) and not optional:
            helper = "at" if node.function == "_[_]" else "list_get"
            return Part(f"{helper}({operand.source}, {self._integer(key)})", held)
        if decl is None or decl.element is None or decl.element.nullable:
            raise Unsupported
        if inside.kind == "map" and key.type.kind == "string":
            if optional or node.function == "_[?_]":
                return self.data(f"get({operand.source}, {key.source})", held, decl.element)
            return self.data(f"{operand.source}[{key.source}]", held, decl.element)
        helper = "list_get" if optional or node.function == "_[?_]" else "at"
        if inside.kind != "list":
            raise Unsupported
        return self.data(f"{helper}({operand.source}, {self._integer(key)})", held, decl.element)

    def _integer(self, part: Part) -> str:
        if part.type.kind != "int":
            raise Unsupported
        return part.source

    def _optional_call(self, node: ast.Call, held: Type) -> Part:
        assert node.target is not None
        target = self.write(node.target)
        if not unwrap_optional(target.type)[1]:
            raise Unsupported
        if node.function == "hasValue":
            return Part(f"({target.source} is not None)", held)
        if node.function == "value":
            return Part(f"present({target.source})", held, target.decl)
        other = self.write(node.args[0])
        if other.decl is not None and other.decl is not target.decl and not is_scalar(other.type):
            raise Unsupported
        return Part(f"or_value({target.source}, {other.source})", held, target.decl)

    def _equality(self, node: ast.Call, held: Type) -> Part:
        one, two = (self.write(arg) for arg in node.args)
        same = node.function == "_==_"
        if any(map(int_or_string, (one, two))) and {"bool", "double"} & {one.type.kind, two.type.kind}:
            # To Python, True equals 1, and large integers are not rounded when compared with a double.
            raise Unsupported
        if all(is_scalar(part.type) or int_or_string(part) for part in (one, two)):
            return Part(f"({one.source} {'==' if same else '!='} {two.source})", held)
        if one.decl is None or two.decl is not one.decl or not is_plain(one.decl) or one.type.kind == "opaque":
            raise Unsupported
        test = self.names.comparer(one.decl)
        return Part(f"({'' if same else 'not '}{test}({one.source}, {two.source}))", held)

    def _function(self, node: ast.Call, held: Type) -> Part:
        overloads = self.checked.overloads[node.id]
        if len(overloads) != 1:
            raise Unsupported
        receiver = () if node.target is None or node.id in self.checked.globals else (node.target,)
        arguments = (*receiver, *node.args)
        chosen = overloads[0]
        if chosen.id in {"matches_string", "matches"} and isinstance(arguments[1], ast.Literal):
            return self._matches(arguments, held)
        parts = [self.write(argument) for argument in arguments]
        if any(unwrap_optional(part.type)[1] for part in parts):
            raise Unsupported
        if chosen.id in {"in_list", "in_map"} and not findable(*(part.type for part in parts)):
            raise Unsupported
        infix = INFIX.get(chosen.id)
        if infix is not None:
            return Part(f"({infix.format(*(part.source for part in parts))})", held)
        if chosen.id in {"size_list", "list_size", "size_map", "map_size", "size_string", "string_size"}:
            return Part(f"len_({parts[0].source})", held)
        if (
            chosen.id not in SAFE_CALLS
            or chosen.implementation is None
            or chosen.release
            or not all(map(callable_with, parts))
        ):
            raise Unsupported
        call = f"{self.names.function(chosen)}({', '.join(part.source for part in parts)})"
        return Part(f"unwrapped({call})" if unwrap_optional(held)[1] else call, held)

    def _matches(self, arguments: Sequence[ast.Expr], held: Type) -> Part:
        literal = arguments[1]
        assert isinstance(literal, ast.Literal)
        text = self.write(arguments[0])
        if text.type.kind != "string":
            raise Unsupported
        return Part(f"{self.names.matcher(str(literal.value))}({text.source})", held)

    def _list(self, node: ast.ListLiteral) -> Part:
        if node.optional:
            raise Unsupported
        held = self.checked.type_at(node)
        if node.elements and all(isinstance(one, ast.Literal) and plain_scalar(one.value) for one in node.elements):
            values = tuple(one.value for one in node.elements if isinstance(one, ast.Literal))
            return Part(self.names.constant(values), held)
        parts = [self.write(element) for element in node.elements]
        if not all(is_scalar(part.type) for part in parts):
            raise Unsupported
        return Part(f"[{', '.join(part.source for part in parts)}]", held)

    def _comprehension(self, node: ast.Comprehension) -> Part:
        over = self.write(node.range)
        shape = over.type.kind
        if shape not in {"list", "map"} or node.macro not in LOOPS:
            raise Unsupported
        names, loop = loop_of(node, over, self)
        self.locals.append(names)
        part = LOOPS[node.macro](self, node, loop)
        self.locals.pop()
        return part

    def predicate(self, node: ast.Expr) -> str:
        """Return a boolean part of a loop."""
        return self._boolean(node)
