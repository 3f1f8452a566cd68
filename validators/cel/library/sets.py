"""Library ``sets``: lists compared as sets. Source: cel-go ``ext/sets.go``."""

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Value
from ovnguard.validators.cel.values.operations import contains


def sets_contains(one: Value, two: Value) -> bool:
    """Return whether every element of ``two`` is in ``one``. Raises `EvalError`."""
    return all(contains(one, element) for element in two)


def sets_equivalent(one: Value, two: Value) -> bool:
    """Return whether each list has every element of the other. Raises `EvalError`."""
    return sets_contains(one, two) and sets_contains(two, one)


def sets_intersects(one: Value, two: Value) -> bool:
    """Return whether the lists have a common element. Elements that cannot be compared are not common."""
    return any(_found(two, element) for element in one)


def _found(container: Value, element: Value) -> bool:
    try:
        return contains(container, element)
    except EvalError:
        return False


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("list_sets_contains_list", ":sets.contains(list(T), list(T)) -> bool", sets_contains),
        overload("list_sets_equivalent_list", ":sets.equivalent(list(T), list(T)) -> bool", sets_equivalent),
        overload("list_sets_intersects_list", ":sets.intersects(list(T), list(T)) -> bool", sets_intersects),
    ]
