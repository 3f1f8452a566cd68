"""The changes between two definitions, and what each of them does to the objects that are stored."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import FieldError

_NAMED_BY_ERRORS: Final = {
    "exclusiveMinimum": "minimum",
    "exclusiveMaximum": "maximum",
    "x-kubernetes-int-or-string": "type",
    "nullable": "type",
}
"""Keywords whose errors name another one."""


class Effect(StrEnum):
    """What a change does to the set of the objects that can be stored."""

    NARROWS = "narrows"
    """Some object that the old definition stores is refused now, or loses a field."""
    WIDENS = "widens"
    """The new definition accepts whatever the old one stores, and more, and drops nothing of it."""
    NEUTRAL = "neutral"
    """Both definitions store the same objects."""
    UNDECIDED = "undecided"
    """Neither of these is proved."""


class Counterexample(NamedTuple):
    """An object that the old definition accepts and the new one refuses, in a creation or an update of ``old``.

    ``errors`` are those that the change causes.
    """

    object: Mapping[str, Any]
    old: Mapping[str, Any] | None
    errors: tuple[str, ...]


class Change(NamedTuple):
    """One change. ``version`` is that of the schema, "" for the whole definition.

    ``field`` is the path in objects (``spec.ports[*].name``), and ``steps`` are the keys that lead to its node in the
    schema. ``keyword`` is what changed there, in the words of the definition. ``old`` and ``new`` are its values, None
    for an absent one.
    """

    version: str
    field: str
    keyword: str
    effect: Effect
    old: Any
    new: Any
    proof: str
    steps: tuple[str, ...] = ()
    counterexample: Counterexample | None = None

    @property
    def is_safe(self) -> bool:
        """Whether it is proved that no stored object suffers."""
        return self.effect in {Effect.WIDENS, Effect.NEUTRAL}

    def causes(self, error: FieldError) -> bool:
        """Whether an error is one of the changed keyword, or below a field that is new."""
        keyword = _NAMED_BY_ERRORS.get(self.keyword, self.keyword)
        place = self.field if keyword == "properties" else f"{self.field}.{keyword}".removeprefix(".")
        return error.rule == place or error.rule.startswith((f"{place}.", f"{place}["))


class Judged(NamedTuple):
    """The effect of a change, and what proves it."""

    effect: Effect
    proof: str


def narrows(proof: str) -> Judged:
    """Return the judgement that a change narrows."""
    return Judged(Effect.NARROWS, proof)


def widens(proof: str) -> Judged:
    """Return the judgement that a change widens."""
    return Judged(Effect.WIDENS, proof)


def neutral(proof: str) -> Judged:
    """Return the judgement that a change is neutral."""
    return Judged(Effect.NEUTRAL, proof)


def undecided(proof: str) -> Judged:
    """Return the judgement that nothing is proved; the text is the reason."""
    return Judged(Effect.UNDECIDED, proof)
