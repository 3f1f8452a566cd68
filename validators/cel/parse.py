"""The adapter to cel-python: text in, something that can be evaluated out. No other module imports celpy.

Only the interpreting runner is used: cel-python keeps one parser per process, and its two runners cannot share it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import celpy
import lark
from celpy import celtypes
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError, base_functions

from validators.cel.errors import EvalError, InvalidRule

MACROS = frozenset({"has", "all", "exists", "exists_one", "map", "filter", "dyn"})
Function = Callable[..., Any]


class Program:
    """A parsed expression with its functions."""

    def __init__(self, text: str, functions: Mapping[str, Function]) -> None:
        environment = celpy.Environment(runner_class=celpy.InterpretedRunner)
        try:
            tree = environment.compile(text)
        except CELParseError as fault:
            line, column = fault.line or 1, fault.column or 1
            raise InvalidRule(_syntax_error(text, line, column), line, column) from fault
        _check_functions(tree, functions)
        self.names = frozenset(str(node.children[0]) for node in tree.find_data("ident"))
        self._runner = environment.program(tree, functions={**functions, "dyn": lambda value: value})

    def evaluate(self, variables: Mapping[str, Any]) -> Any:
        """The value as a cel-python value; raises `EvalError`."""
        try:
            value = self._runner.evaluate(dict(variables))
        except CELEvalError as fault:
            raise EvalError(_eval_text(fault)) from fault
        except EvalError:
            raise
        except (KeyError, TypeError, ValueError, ArithmeticError, IndexError, AttributeError) as fault:
            raise EvalError(str(fault) or "no such overload") from fault
        return value


def _check_functions(tree: lark.Tree[lark.Token], functions: Mapping[str, Function]) -> None:
    """Refuse at compile what cel-python would only notice when it runs."""
    known = {*functions, *base_functions, *MACROS}
    for shape, at in (("ident_arg", 0), ("member_dot_arg", 1)):
        for node in tree.find_data(shape):
            name = node.children[at]
            if isinstance(name, lark.Token) and str(name) not in known:
                line, column = name.line or 1, name.column or 1
                text = f"ERROR: <input>:{line}:{column}: undeclared reference to '{name}' (in container '')"
                raise InvalidRule(text, line, column)


def _syntax_error(text: str, line: int, column: int) -> str:
    source = text.splitlines()[line - 1] if text else ""
    return f"ERROR: <input>:{line}:{column}: Syntax error\n | {source}\n | {'.' * (column - 1)}^"


def _eval_text(fault: CELEvalError) -> str:
    text = str(fault.args[0]) if fault.args else "no such overload"
    lead = "no such member in mapping: "
    if text.startswith(lead):
        return f"no such key: {text.removeprefix(lead).strip(chr(39))}"
    if isinstance(fault.__cause__, EvalError):
        return str(fault.__cause__)
    return text


CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "string": celtypes.StringType,
    "bytes": celtypes.BytesType,
    "boolean": celtypes.BoolType,
    "integer": celtypes.IntType,
    "number": celtypes.DoubleType,
    "timestamp": celtypes.TimestampType,
    "duration": celtypes.DurationType,
    "list": celtypes.ListType,
    "map": celtypes.MapType,
}


def is_boolean(value: Any) -> bool:
    """Whether an evaluated value is a CEL bool."""
    return isinstance(value, (bool, celtypes.BoolType))


def to_python(value: Any) -> Any:
    """A cel-python value as plain Python: bool, int, float, str, bytes, list, dict, None; others as they are."""
    if isinstance(value, celtypes.BoolType):
        return bool(value)
    if isinstance(value, celtypes.MapType):
        return {to_python(key): to_python(item) for key, item in value.items()}
    if isinstance(value, celtypes.ListType):
        return [to_python(item) for item in value]
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value)
    return int(value) if isinstance(value, int) else value
