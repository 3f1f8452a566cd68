"""Errors of CEL: a rule cannot be used (`InvalidRule`), or an expression has no value (`EvalError`)."""

from typing import Final

__all__ = ["ABSENT", "Absent", "CostExceeded", "EvalError", "EvaluationPanic", "InvalidRule"]


class InvalidRule(Exception):
    """The rule cannot be compiled. ``text`` is the API server's text; line and column start at 1, 0 means unknown."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.line = line
        self.column = column


class EvalError(ValueError):
    """Raised inside a running expression. The text is cel-go's.

    It is a ValueError, because cel-python turns that into an error value, which && and

    may absorb.
    """


class EvaluationPanic(Exception):
    """The server's own code fails during the evaluation, which ends the evaluation. The text is Go's."""


class CostExceeded(Exception):
    """Raised inside a running expression that costs, or would build, more than one call may.

    ``cost`` is what was counted before, 0 if that is unknown.
    """

    def __init__(self, cost: int = 0) -> None:
        super().__init__()
        self.cost = cost


class Absent:
    """The type of ABSENT: there is no value, which is not the same as null."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()
