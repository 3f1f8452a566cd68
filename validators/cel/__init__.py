"""CEL as kube-apiserver runs it on custom resources: compile a rule once, evaluate it over plain JSON values.

Ways through the package: `parse` (text to `ast`, macros expanded) -> `check` (types from `decl`, functions from
`versions` and `library`) -> `literal_checks` -> `plan` (exact evaluator, counts cost) and `fast` (Python source that
can only confirm); `estimate` prices a rule before it runs. `rule` is the way in, `compiled` what comes out.

Importing this package loads no parser; the first compilation does.
"""

from typing import TYPE_CHECKING, Any

from validators.cel.compile import compile_expression, compile_rule
from validators.cel.errors import ABSENT, CelError, InvalidRule

if TYPE_CHECKING:
    from validators.cel.evaluation import Expression, Result, Rule

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
    """The result types, which bring the engine with them, are loaded when they are asked for."""
    if name in {"Expression", "Result", "Rule"}:
        from validators.cel import evaluation  # noqa: PLC0415 - importing this package loads no engine

        return getattr(evaluation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
