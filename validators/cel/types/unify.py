"""Decides whether a type is assignable to another one, and binds type parameters.

Source: cel-go, ``checker`` (types.go): assignability, substitution, the more general of two types.
"""

from ovnguard.validators.cel.types.static_types import DYN, WRAPPER, Type, alike

_NULLABLE = frozenset({"opaque", "struct", "timestamp", "duration"})
_DYNAMIC = frozenset({"dyn", "any", "error"})
_GENERIC = frozenset({"opaque", "list", "map"})


class Bindings:
    """Type parameters and their bindings."""

    def __init__(self, bound: dict[Type, Type] | None = None) -> None:
        self.bound = dict(bound or {})

    def assignable(self, wanted: Type, actual: Type) -> bool:
        """Return whether ``actual`` fits ``wanted``. New bindings are only kept on success."""
        trial = Bindings(self.bound)
        if not trial.fits(wanted, actual):
            return False
        self.bound = trial.bound
        return True

    def all_assignable(self, wanted: tuple[Type, ...], actual: tuple[Type, ...]) -> bool:
        """The same for a list of arguments."""
        trial = Bindings(self.bound)
        if not trial.all_fit(wanted, actual):
            return False
        self.bound = trial.bound
        return True

    def all_fit(self, one: tuple[Type, ...], two: tuple[Type, ...]) -> bool:
        """Element-wise `fits`."""
        return len(one) == len(two) and all(map(self.fits, one, two))

    def fits(self, one: Type, two: Type) -> bool:
        """As `assignable`, but bindings are kept even on failure."""
        if two.kind == "param":
            valid, bound = self._substitutes(one, two)
            if valid or bound:
                return valid
        if one.kind == "param":
            return self._substitutes(two, one)[0]
        if one.kind in _DYNAMIC or two.kind in _DYNAMIC:
            return True
        if one.kind == "null" or two.kind == "null":
            other = two if one.kind == "null" else one
            return other.kind == "null" or other.kind in _NULLABLE or other.name == WRAPPER
        if one.kind == "type":
            return two.kind == "type"
        if one.kind in _GENERIC:
            return one.kind == two.kind and one.name == two.name and self.all_fit(one.params, two.params)
        return alike(one, two)

    def _substitutes(self, actual: Type, parameter: Type) -> tuple[bool, bool]:
        """Return whether ``actual`` may be used for ``parameter``, and whether the parameter was bound before."""
        if actual == parameter:
            return True, True
        bound = self.bound.get(parameter)
        if bound is not None:
            if actual == bound:
                return True, True
            if self.fits(actual, bound):
                general = more_general(actual, bound)
                if self._free_of(parameter, general):
                    self.bound[parameter] = general
                return True, True
            return False, True
        if self._free_of(parameter, actual):
            self.bound[parameter] = actual
            return True, False
        return False, False

    def _free_of(self, parameter: Type, within: Type) -> bool:
        if parameter == within:
            return False
        if within.kind == "param":
            bound = self.bound.get(within)
            return bound is None or self._free_of(parameter, bound)
        return all(self._free_of(parameter, inner) for inner in within.params)

    def resolve(self, held: Type, *, to_dyn: bool = False) -> Type:
        """Return ``held`` with its parameters replaced. Those without a binding become dyn if ``to_dyn``."""
        if held.kind == "param":
            bound = self.bound.get(held)
            if bound is not None:
                return self.resolve(bound, to_dyn=to_dyn)
            return DYN if to_dyn else held
        if not held.params:
            return held
        return Type(held.kind, held.name, tuple(self.resolve(inner, to_dyn=to_dyn) for inner in held.params))


def more_general(one: Type, two: Type) -> Type:
    """Return the more general type, or ``two`` if neither is."""
    return one if _says_less(one, two) else two


def _says_less(one: Type, two: Type) -> bool:
    if one.kind in {"dyn", "any", "param"}:
        return True
    if two.kind in {"dyn", "any", "param"} or one.kind != two.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in _GENERIC:
        same = one.name == two.name and len(one.params) == len(two.params)
        return same and all(map(_says_less, one.params, two.params))
    return alike(one, two)
