"""CEL as kube-apiserver runs it on custom resources: compile a rule once, evaluate it over plain JSON values.

The way of an expression: `syntax.parse` (text to tree, macros expanded), `type_checker` (types of `declaration`,
functions of `environments` and `library`), `literal_checks`, then `planner` (the exact evaluator, which counts cost) or
`codegen` (Python source that may only accept). `cost` estimates a rule before it runs. `compile` is the entry,
`compiled_rule` holds what it returns.

Importing this package loads no parser. The first compilation does.
"""

from typing import TYPE_CHECKING, Any

from validators.cel.compile import compile_expression, compile_rule
from validators.cel.errors import ABSENT, CelError, InvalidRule

if TYPE_CHECKING:
    from validators.cel.compiled_rule import Expression, Result, Rule

__all__ = [
    "ABSENT",
    "CelError",
    "Expression",
    "InvalidRule",
    "Result",
    "Rule",
    "compile_expression",
    "compile_rule",
]


def __getattr__(name: str) -> Any:
    """Load the result types on first use, because they load the evaluator."""
    if name in {"Expression", "Result", "Rule"}:
        from validators.cel import compiled_rule  # noqa: PLC0415 - importing this package loads no evaluator

        return getattr(compiled_rule, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
