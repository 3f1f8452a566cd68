"""The one judgement: preflight, webhook and reconciler all call `judge`.

Order: selected values (transit subnets) -> schema verdict (prune, default, structural, CEL) -> the object as a
`Network` -> rules over one object, then over the view. Rules speak only about objects that the schema accepts.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from validators.field import FieldError
from validators.json_types import JsonObject


class Operation(StrEnum):
    """What is asked of the API server."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Request:
    """One request as admission sees it; ``old`` is the stored object of an UPDATE or DELETE."""

    operation: Operation
    object: JsonObject | None
    old: JsonObject | None = None
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer. ``object`` is the object as it would be stored, selected values included (None for DELETE).

    ``mutated`` is the object as it came plus selected values only (no defaults, nothing pruned): what the mutating
    webhook's patch leads to. It is the very object of the request when nothing was selected.
    """

    allowed: bool
    object: JsonObject | None
    mutated: JsonObject | None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = field(default=())
    schema_set: str = ""
    cost: int = 0
