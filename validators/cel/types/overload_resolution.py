"""Finds the overloads of a function that fit the types of its arguments, and the type of the result.

Source: cel-go, ``checker`` (resolveOverload).
"""

from collections.abc import Iterable, Sequence

from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.types.unify import Bindings, more_general


class Resolution:
    """The type variables of one expression, and their bindings so far."""

    def __init__(self) -> None:
        self.bindings = Bindings()
        self._fresh = 0

    def variable(self) -> Type:
        """Return a fresh type variable."""
        self._fresh += 1
        return types.param(f"_var{self._fresh - 1}")

    def choose(
        self, candidates: Iterable[Overload], arguments: Sequence[Type], *, member: bool
    ) -> tuple[tuple[Overload, ...], Type] | None:
        """Return the overloads that fit, and the type of the result: dyn if they disagree. None if none fits."""
        matching = []
        result: Type | None = None
        for candidate in candidates:
            if candidate.member != member:
                continue
            wanted, gives = self._instance(candidate)
            if not self.bindings.all_assignable(tuple(arguments), wanted):
                continue
            matching.append(candidate)
            gives = self.bindings.resolve(gives)
            if result is None:
                result = gives
            elif result.kind != "dyn" and gives != result:
                result = types.DYN
        return None if result is None else (tuple(matching), result)

    def _instance(self, candidate: Overload) -> tuple[tuple[Type, ...], Type]:
        """Return argument and result types with fresh type variables for the overload's parameters."""
        names = candidate.parameters
        if not names:
            return candidate.arguments, candidate.result
        fresh = Bindings({types.param(name): self.variable() for name in names})
        return tuple(fresh.resolve(one) for one in candidate.arguments), fresh.resolve(candidate.result)

    def signature(self, arguments: Sequence[Type], *, member: bool) -> str:
        """Return the types as cel-go prints those that no overload fits."""
        return types.format_signature([self.bindings.resolve(one, to_dyn=True) for one in arguments], member=member)

    def join(self, before: Type | None, now: Type) -> Type:
        """Return the type of an element among others.

        A later check, except in formats, requires one type in a literal.
        """
        if before is None:
            return now
        return more_general(before, now) if self.bindings.assignable(before, now) else types.DYN
