"""CEL as kube-apiserver runs it on custom resources: compile a rule once, evaluate it over plain JSON values.

Importing this package loads no parser; the first compilation does.
"""

from validators.cel.errors import ABSENT, CelError, InvalidRule
from validators.cel.rule import Expression, Result, Rule, compile_expression, compile_rule

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
