"""What a changed keyword of a schema node does, proved from the two nodes alone.

The checks of a value are independent of each other: a value is valid if it passes each keyword of its node, and each
node below. A keyword that lets through whatever it let through before makes no stored object invalid.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ovnguard.validators.evolution.changes import Judged, narrows, neutral, undecided, widens
from ovnguard.validators.structural.formats.number_arithmetic import to_int64
from ovnguard.validators.structural.formats.number_ranges import Range, range_of
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

_SAMPLES: Final[Mapping[str, Any]] = {
    "booleans": True,
    "integers": 1,
    "whole floats": 1.0,
    "fractions": 1.5,
    "strings": "",
    "lists": [],
    "objects": {},
}
"""A value of each kind between which types and formats of types tell."""
_OTHER_VIEW: Final = "CEL rules at or above the field see another type"


class Place(NamedTuple):
    """What is around a node. ``ruled``: CEL rules at the node or above it see its value.

    ``watched``: so do rules, branches, enumerations or the uniqueness of a list, so that a field that is filled in or
    drops out may make something else invalid. ``is_resource``: it is the root of an object.
    """

    formats: Formats
    ruled: bool = False
    watched: bool = False
    is_resource: bool = True


Compare = Callable[[Schema, Schema, Place], Judged]


def _upper(name: str) -> Compare:
    def compare(old: Schema, new: Schema, place: Place) -> Judged:
        before, after = getattr(old, name), getattr(new, name)
        if after is None or (before is not None and before <= after):
            return widens("whatever is within the old bound is within the new one")
        return narrows("what is above the new bound and was not above the old one is refused")

    return compare


def _lower(name: str) -> Compare:
    def compare(old: Schema, new: Schema, place: Place) -> Judged:
        before, after = getattr(old, name) or 0, getattr(new, name) or 0
        if before == after:
            return neutral("both mean no bound")
        if after < before:
            return widens("whatever is within the old bound is within the new one")
        return narrows("what is below the new bound and was not below the old one is refused")

    return compare


def _limit(old: Schema, new: Schema, place: Place, *, lower: bool) -> Judged:
    """Compare minimum or maximum, each with its exclusive form, as integers and as floats see them."""
    before, after = _bounds(old, lower=lower), _bounds(new, lower=lower)
    if before == after:
        return neutral("both mean the same bound")
    if not after:
        return widens("there is no bound any more")
    if any(_beyond(schema, place) for schema in (old, new)):
        return undecided("a bound is beyond the numbers of the type")
    if not before:
        return narrows("what is beyond the bound was accepted and is refused")
    if all(now <= then for now, then in zip(after, before, strict=True)):
        return widens("whatever is within the old bound is within the new one")
    if all(now >= then for now, then in zip(after, before, strict=True)):
        return narrows("what is beyond the new bound and was within the old one is refused")
    return undecided("the bound moves one way for integers and the other way for fractions")


def _bounds(schema: Schema, *, lower: bool) -> Sequence[tuple[float, bool]]:
    """The bound for integers and that for floats, the larger the stricter; none without a bound."""
    bound, exclusive = schema.minimum, schema.exclusive_minimum
    if not lower:
        bound, exclusive = schema.maximum, schema.exclusive_maximum
    if bound is None:
        return ()
    return [(each if lower else -each, exclusive) for each in (to_int64(bound), bound)]


def _beyond(schema: Schema, place: Place) -> bool:
    """Whether a bound is out of the range of the type: then the server refuses every number."""
    limits = range_of(schema) if place.formats.limits_numbers else None
    bounds = (schema.multiple_of, schema.minimum, schema.maximum)
    return limits is not None and not all(limits.has(bound) for bound in bounds if bound is not None)


def _minimum(old: Schema, new: Schema, place: Place) -> Judged:
    return _limit(old, new, place, lower=True)


def _maximum(old: Schema, new: Schema, place: Place) -> Judged:
    return _limit(old, new, place, lower=False)


def _optional(name: str) -> Compare:
    """Compare a keyword of which nobody proves that one value implies another."""

    def compare(old: Schema, new: Schema, place: Place) -> Judged:
        if not getattr(new, name):
            return widens("one condition fewer")
        if not getattr(old, name):
            return undecided("one condition more; no proof that each stored value satisfies it")
        return undecided("no proof that one implies the other")

    return compare


def _type(old: Schema, new: Schema, place: Place) -> Judged:
    """Compare type, int-or-string and format together: none of them means something without the others."""
    before, after = _kinds(old, place.formats), _kinds(new, place.formats)
    if lost := sorted(before - after):
        return narrows(f"{' and '.join(lost)} were accepted and are refused")
    if not _covers(_range(new, place), _range(old, place)):
        return narrows("numbers outside of the new range were accepted and are refused")
    if _beyond(old, place) or _beyond(new, place):
        return undecided("a bound is beyond the numbers of the type")
    check, old_check = place.formats.checker(new.format, new.types), place.formats.checker(old.format, old.types)
    if "strings" in before and check is not None and check is not old_check:
        return undecided("no proof that texts of the old format have the new one")
    if place.ruled:
        return undecided(_OTHER_VIEW)
    if before == after and check is old_check and _range(new, place) == _range(old, place):
        return neutral("the server accepts the same values of both")
    return widens("each value of the old type and format has the new ones")


def _kinds(schema: Schema, formats: Formats) -> set[str]:
    """The kinds of values that have the type of a node. A format of texts also lets lists pass."""
    typed = Schema("", types=schema.types, format=schema.format)
    found = {kind: Checker(formats).check(value, typed).errors.values() for kind, value in _SAMPLES.items()}
    return {kind for kind, errors in found.items() if not any(error.rule == "type" for error in errors)}


def _range(schema: Schema, place: Place) -> Range | None:
    return range_of(schema) if place.formats.limits_numbers else None


def _covers(new: Range | None, old: Range | None) -> bool:
    if new is None:
        return True
    return old is not None and new.low <= old.low and new.high >= old.high and new.whole <= old.whole


def _nullable(old: Schema, new: Schema, place: Place) -> Judged:
    if new.nullable:
        return widens("null becomes a value; the server stored none before")
    return narrows("a stored null is dropped, or refused in a list")


def _enum(old: Schema, new: Schema, place: Place) -> Judged:
    before, after = old.enum.keys, new.enum.keys
    if not after:
        return widens("any value of the type is accepted")
    if not before:
        return narrows("all other values of the type were accepted and are refused")
    if lost := before - after:
        return narrows(f"{_listed(lost)} {'was' if len(lost) == 1 else 'were'} accepted and no longer")
    return neutral("the same values") if before == after else widens("every old value is still one")


def _listed(keys: frozenset[Hashable]) -> str:
    return ", ".join(sorted(str(key[1] if isinstance(key, tuple) else key) for key in keys))


def _required(old: Schema, new: Schema, place: Place) -> Judged:
    added = sorted({*new.required} - {*old.required})
    unfilled = [name for name in added if not _is_filled(new, name, place)]
    if unfilled:
        return narrows(f"objects without {', '.join(unfilled)} were accepted and are refused")
    if added:
        return neutral("a default fills in each field that is required now")
    return widens("fewer fields are required") if {*old.required} - {*new.required} else neutral("the same fields")


def _is_filled(schema: Schema, name: str, place: Place) -> bool:
    """Whether a default fills in a field. That of a status does not count while an object is created."""
    child = schema.properties.get(name)
    return child is not None and child.default is not NO_DEFAULT and not (place.is_resource and name == "status")


def _branches(name: str, *, growing: bool) -> Compare:
    """Compare branches; ``growing``: with one more the keyword lets through more."""

    def compare(old: Schema, new: Schema, place: Place) -> Judged:
        before, after = ([one.source for one in getattr(each, name)] for each in (old, new))
        if not after:
            return widens("one condition fewer")
        small, large = (before, after) if growing else (after, before)
        if before and all(any(deep_equal(one, other) for other in large) for one in small):
            return widens("every old branch is still one" if growing else "every new branch was one before")
        return undecided("no proof that the old branches imply the new ones")

    return compare


def _preserve(old: Schema, new: Schema, place: Place) -> Judged:
    if not new.preserve_unknown:
        return narrows("fields that the schema does not name were kept and are dropped")
    return undecided(_OTHER_VIEW) if place.ruled else widens("fields that the schema does not name are kept")


def _list_type(old: Schema, new: Schema, place: Place) -> Judged:
    before, after = ({"": "atomic"}.get(each.list_type, each.list_type) for each in (old, new))
    if before == after:
        return neutral("a list without a type is atomic")
    if after != "atomic":
        return undecided("the type changes from one to another") if before != "atomic" else narrows(_REPEATED)
    return undecided(_OTHER_VIEW) if place.ruled else widens("items may repeat")


def _list_keys(old: Schema, new: Schema, place: Place) -> Judged:
    if old.list_type == new.list_type:
        return undecided("no proof that no two items have equal values of the new keys")
    return _list_type(old, new, place)


_REPEATED: Final = "lists with equal items or keys were accepted and are refused"


def _map_type(old: Schema, new: Schema, place: Place) -> Judged:
    return undecided(_OTHER_VIEW) if place.ruled else neutral("it only tells who owns a field")


def _never(old: Schema, new: Schema, place: Place) -> Judged:
    return neutral("no object is judged by it")


EFFECTS: Final[Mapping[str, Compare]] = {
    **dict.fromkeys(("type", "format", "x-kubernetes-int-or-string"), _type),
    **dict.fromkeys(("minimum", "exclusiveMinimum"), _minimum),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), _maximum),
    **dict.fromkeys(("description", "title", "example", "externalDocs"), _never),
    "maxLength": _upper("max_length"),
    "maxItems": _upper("max_items"),
    "maxProperties": _upper("max_properties"),
    "minLength": _lower("min_length"),
    "minItems": _lower("min_items"),
    "minProperties": _lower("min_properties"),
    "pattern": _optional("pattern"),
    "multipleOf": _optional("multiple_of"),
    "not": _optional("negated"),
    "nullable": _nullable,
    "enum": _enum,
    "required": _required,
    "allOf": _branches("all_of", growing=False),
    "anyOf": _branches("any_of", growing=True),
    "oneOf": _optional("one_of"),
    "x-kubernetes-preserve-unknown-fields": _preserve,
    "x-kubernetes-list-type": _list_type,
    "x-kubernetes-list-map-keys": _list_keys,
    "x-kubernetes-map-type": _map_type,
}
"""What a change of each keyword does that concerns its node only. Of any other keyword nothing is proved."""
