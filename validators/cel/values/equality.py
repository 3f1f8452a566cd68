"""Equality as cel-go and the API server compute it, errors among the elements included.

`equal` is ``==``. `same` is cel-go's Equal method of the first value, which for null returns another result. Lists and
maps that an expression made only look for a difference, so that elements which cannot be compared are ignored; data
under a schema passes errors on.

Source: cel-go ``common/types`` (util.go, list.go, map.go); apiserver ``pkg/cel/common`` (valuesunstructured.go).
"""

from typing import Any, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Optional, UInt, Value
from ovnguard.validators.cel.values.json_values import MergedList, Obj, SchemaList, Unknown, appended, hashable, unwrap
from ovnguard.validators.cel.values.list_keys import map_key, set_key
from ovnguard.validators.cel.values.net_values import CIDR, IP

NUMBERS: Final = frozenset({int, UInt, float})
LISTS: Final = frozenset({list, MergedList, SchemaList})
MAPS: Final = frozenset({CelMap, Obj})


def no_overload() -> EvalError:
    """Return the error of a call whose arguments fit no overload."""
    return EvalError("no such overload")


def float_beside(one: Value, two: Value) -> Value:
    """Return a number, as a double if the other one is a double: cel-go compares after rounding."""
    return float(one) if type(two) is float else one


def equal(one: Value, two: Value) -> bool:
    """Return ``one == two``: numbers compare across types, null only equals null. Raises `EvalError`."""
    if one is None or two is None:
        return one is two
    return same(one, two)


def same(one: Value, two: Value) -> bool:
    """Return whether ``one`` finds itself equal to ``two``. Either may be a `Fault`. Raises `EvalError`."""
    first, second = type(one), type(two)
    if first is str or first is bool:
        return first is second and bool(one == two)
    if first in NUMBERS:
        return second in NUMBERS and bool(float_beside(one, two) == float_beside(two, one))
    if first is SchemaList:
        return _schema_lists(one, two)
    if first is Obj:
        return _objects(one, two)
    if first is list:
        return second in LISTS and len(one) == len(two) and all(map(_not_different, one, two))
    if first is MergedList:
        return _merged_lists(one, two)
    if first is CelMap:
        return second in MAPS and len(one) == len(two) and all(_entry_not_different(one, two, key) for key in one)
    return _rare(one, two)


def _rare(one: Value, two: Value) -> bool:
    first, second = type(one), type(two)
    if first is Fault:
        raise EvalError(one.text)
    if first is Optional:
        if second is not Optional or one.present != two.present:
            return False
        return not one.present or same(one.value, two.value)
    if first is Unknown:
        return same_data(one.raw, unwrap(two))
    opaque = first in {IP, CIDR} or hasattr(first, "TYPE_NAME")
    if opaque and (first is not second or getattr(two, "is_sum", False)):
        raise _not_for(two)
    return first is second and bool(one == two)


def _not_for(two: Value) -> EvalError:
    return EvalError(two.text) if type(two) is Fault else no_overload()


def _not_different(one: Value, two: Value) -> bool:
    try:
        return equal(one, two)
    except EvalError:
        return True


def _entry_not_different(one: CelMap, two: Value, key: Value) -> bool:
    found, other = two.entry(key)
    return found and _not_different(one.entry(key)[1], other)


def _schema_lists(one: SchemaList, two: Value) -> bool:
    if type(two) not in LISTS:
        raise _not_for(two)
    if len(one) != len(two):
        return False
    if one.decl.list_type == "set" and one.decl.by_value:
        return _sets(one, two)
    if one.decl.list_type == "set":
        have = one.members()
        return all(hashable(appended(other), have) in have for other in two)
    if one.decl.list_type == "map":
        return _keyed_lists(one, two)
    return all(map(same, one, two))


def _keyed_lists(one: SchemaList, two: Value) -> bool:
    mine, seen = one.places(), set()
    for other in two:
        at = mine.get(one.key_of(unwrap(other), mine))
        if at is None or not same(one[at], other):
            return False
        seen.add(at)
    return not one.decl.by_value or len(seen) == len(mine)


def _merged_lists(one: MergedList, two: Value) -> bool:
    if type(two) not in LISTS:
        raise _not_for(two)
    if len(one) != len(two):
        return False
    if not one.keys:
        return _sets(one, two)
    mine = {map_key(value, one.keys): value for value in one}
    seen = set()
    for other in two:
        key = map_key(other, one.keys)
        if key not in mine or not same(mine[key], other):
            return False
        seen.add(key)
    return len(seen) == len(mine)


def _sets(one: Value, two: Value) -> bool:
    """Return whether lists of the same length have the same elements. Raises `EvalError` if one is not a scalar."""
    mine, seen = set(map(set_key, one)), set()
    for other in two:
        key = set_key(other)
        if key not in mine:
            return False
        seen.add(key)
    return len(seen) == len(mine)


def _objects(one: Obj, two: Value) -> bool:
    if type(two) not in MAPS:
        raise _not_for(two)
    return len(one) == len(two) and all(_same_entry(one, name, two) for name in one.raw)


def _same_entry(one: Obj, name: str, two: Value) -> bool:
    if one.schema_of(name) is None:
        if type(two) is not Obj:
            raise no_overload()
        return name not in two.raw or same_data(one.raw[name], two.raw[name])
    if one.decl.nulls_differ:
        found, other = two.entry(name)
        return found and same(one.value_of(name), other)
    found, value = one.entry(name)
    other_found, other = two.entry(name)
    if found != other_found:
        return False
    return not found or same(value, other)


def same_data(one: Any, two: Any) -> bool:
    """Return whether decoded JSON is deeply equal, types included."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same_data(value, two[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same_data, one, two))
    return bool(one == two)
