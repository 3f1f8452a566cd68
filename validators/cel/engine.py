"""Binds the functions and the parser together; imported when the first rule is compiled, because celpy is heavy."""

from collections.abc import Callable, Mapping
from typing import Any

from validators.cel import parse, values
from validators.cel.errors import EvalError
from validators.cel.functions import python_functions


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return _to_cel(function(*arguments))

    return call


def _to_cel(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str, list)):
        return values.from_json(value, {})
    return value


def _string(value: Any) -> Any:
    plain = parse.to_python(value)
    if isinstance(plain, bool):
        return values.from_json("true" if plain else "false", {})
    return values.from_json(str(plain), {})


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: _wrapped(function) for name, function in python_functions().items()},
    "string": _string,
}


def program(text: str) -> parse.Program:
    """Parse ``text``; raises `InvalidRule` for bad syntax and unknown functions."""
    return parse.Program(text, FUNCTIONS)


def boolean(program_: parse.Program, variables: Mapping[str, Any]) -> bool:
    """Evaluate a rule; raises `EvalError` also when the value is no bool."""
    value = program_.evaluate(variables)
    if not parse.is_boolean(value):
        raise EvalError("cel expression must evaluate to a bool")
    return bool(value)
