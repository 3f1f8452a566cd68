"""The changes between the schemas of one version, node by node."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.validation_rule import ValidationRule
from ovnguard.validators.evolution.changes import Change, Judged, narrows, neutral, undecided, widens
from ovnguard.validators.evolution.keyword_effects import EFFECTS, Place
from ovnguard.validators.structural.formats.release_formats import formats_of
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

RULES: Final = "x-kubernetes-validations"
_BELOW: Final = frozenset({"properties", "items", "additionalProperties", "default", RULES})
"""Keywords that are compared with what is above or below their node."""
_KEPT: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Fields of a resource that pruning leaves alone."""
_UNIQUE: Final = frozenset({"set", "map"})
_SEEN: Final = "rules, branches, enumerations, lists of unique items or other versions see the field"


def schema_changes(version: str, old: Schema, new: Schema, release: int, *, watched: bool) -> list[Change]:
    """Return the changes from one schema to another. ``watched``: other versions see what this one fills in."""
    at = _Node(version, Place(formats_of(release), watched=watched))
    return list(_changes(old, new, at))


class _Node(NamedTuple):
    """Where the walk is: ``steps`` lead to the node, and ``place`` is what is around it.

    ``old_keeps`` and ``new_keeps``: a list above passes on that it keeps unknown fields.
    """

    version: str
    place: Place
    steps: tuple[str, ...] = ()
    old_keeps: bool = False
    new_keeps: bool = False

    def change(self, field: str, keyword: str, judged: Judged, before: Any, after: Any) -> Change:
        """The change of this node, or of a field directly below."""
        return Change(self.version, field, keyword, judged.effect, before, after, judged.proof, self.steps)

    def below(self, *steps: str, is_resource: bool, keeps: tuple[bool, bool] = (False, False)) -> "_Node":
        """The node that the keys lead to."""
        place = self.place._replace(is_resource=is_resource)
        return _Node(self.version, place, (*self.steps, *steps), *keeps)


def _changes(old: Schema, new: Schema, at: _Node) -> Iterator[Change]:
    """Yield the changes of a node and of everything below."""
    here = at._replace(place=_seen_here(old, new, at.place))
    for keyword in sorted((old.source.keys() | new.source.keys()) - _BELOW):
        before, after = old.source.get(keyword), new.source.get(keyword)
        if not deep_equal(before, after):
            compare = EFFECTS.get(keyword)
            judged = compare(old, new, here.place) if compare else undecided("nothing is proved about this keyword")
            yield here.change(new.location, keyword, judged, before, after)
    yield from _rules(old, new, here)
    for name in sorted(old.properties.keys() | new.properties.keys()):
        yield from _property(name, old, new, here)
    yield from _elements(old, new, here)


def _seen_here(old: Schema, new: Schema, place: Place) -> Place:
    """The place of a node with what its own keywords see of it."""
    both = (old, new)
    ruled = place.ruled or any(each.rules for each in both)
    seen = any(each.composed or each.enum or each.list_type in _UNIQUE for each in both)
    is_resource = place.is_resource or any(each.embedded for each in both)
    return place._replace(ruled=ruled, watched=place.watched or ruled or seen, is_resource=is_resource)


def _rules(old: Schema, new: Schema, at: _Node) -> Iterator[Change]:
    """Yield the changes of rules: those with the same text belong together, the others in their order."""
    before, after = list(old.rules), list(enumerate(new.rules))
    changed = []
    for index, rule in after:
        was = next((each for each in before if _runs_as(each) == _runs_as(rule)), None)
        if was is None:
            changed.append((index, rule))
            continue
        before.remove(was)
        if was != rule:
            judged = neutral("only the answer to an object that breaks the rule")
            yield at.change(new.location, f"{RULES}[{index}]", judged, _written(was), _written(rule))
    for index, rule in changed:
        was = before.pop(0) if before else None
        why = "no proof that the old rule implies it" if was else "no proof that each stored object satisfies it"
        yield at.change(new.location, f"{RULES}[{index}]", undecided(why), was and _written(was), _written(rule))
    for was in before:
        index = next(number for number, each in enumerate(old.rules) if each is was)
        yield at.change(old.location, f"{RULES}[{index}]", widens("one condition fewer"), _written(was), None)


def _runs_as(rule: ValidationRule) -> tuple[str, bool]:
    return rule.rule, bool(rule.optional_old_self)


def _written(rule: ValidationRule) -> dict[str, Any]:
    names = ("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf")
    return {name: value for name, value in zip(names, rule, strict=True) if value is not None}


def _property(name: str, old: Schema, new: Schema, at: _Node) -> Iterator[Change]:
    before, after = old.properties.get(name), new.properties.get(name)
    if before is not None and after is not None:
        if not deep_equal(_default(before), _default(after)):
            judged = _default_effect(name, before, after, new, at.place)
            yield at.change(after.location, "default", judged, _default(before), _default(after))
        is_resource = before.embedded or after.embedded
        yield from _changes(before, after, at.below("properties", name, is_resource=is_resource))
        return
    here = at.below("properties", name, is_resource=False)
    if after is not None:
        yield here.change(after.location, "properties", _added(name, after, old, new, at), None, dict(after.source))
    elif before is not None:
        yield here.change(before.location, "properties", _removed(name, new, at), dict(before.source), None)


def _default(schema: Schema) -> Any:
    return None if schema.default is NO_DEFAULT else schema.default


def _default_effect(name: str, old: Schema, new: Schema, parent: Schema, place: Place) -> Judged:
    if new.default is NO_DEFAULT and name in parent.required:
        return narrows("the field is required, and nothing fills it in any more")
    if place.watched:
        return undecided(_SEEN)
    if old.default is NO_DEFAULT and parent.max_properties is not None:
        return undecided("the field counts for maxProperties")
    return neutral("the definition is refused unless its default is valid, and nothing else sees the field")


def _added(name: str, field: Schema, old: Schema, new: Schema, at: _Node) -> Judged:
    if old.additional_allowed is not None:
        return undecided("the field was judged as any other key")
    if old.preserve_unknown or at.old_keeps or (at.place.is_resource and name in _KEPT):
        return undecided("fields that the schema does not name were kept, also one of this name")
    if field.default is NO_DEFAULT:
        return widens("no stored object has the field: the server dropped it")
    if at.place.watched or new.max_properties is not None:
        return undecided(f"a default fills it in, and {_SEEN}")
    return widens("no stored object has the field, and its default is valid")


def _removed(name: str, new: Schema, at: _Node) -> Judged:
    if new.additional_allowed is not None:
        return undecided("the field is judged as any other key")
    if new.preserve_unknown or at.new_keeps or (at.place.is_resource and name in _KEPT):
        return undecided(_SEEN) if at.place.watched else widens("the field is kept as it is, whatever it contains")
    return narrows("the server drops the field, and refuses it in strict validation")


def _elements(old: Schema, new: Schema, at: _Node) -> Iterator[Change]:
    """Yield the changes of the items of a list and of the values of a map."""
    if old.items is not None and new.items is not None:
        kept = (old.preserve_unknown or at.old_keeps, new.preserve_unknown or at.new_keeps)
        yield from _element("items", old.items, new.items, at, kept)
    elif not deep_equal(old.source.get("items"), new.source.get("items")):
        judged = undecided("the items have a schema in one of the two only")
        yield at.change(new.location, "items", judged, old.source.get("items"), new.source.get("items"))
    if old.additional is not None and new.additional is not None:
        yield from _element("additionalProperties", old.additional, new.additional, at, (False, False))
        return
    before, after = (each.source.get("additionalProperties") for each in (old, new))
    if not deep_equal(before, after):
        frees = after is True and old.additional is not None and not at.place.watched
        judged = widens("values of any kind are kept") if frees else undecided("keys were treated in another way")
        yield at.change(new.location, "additionalProperties", judged, before, after)


def _element(keyword: str, old: Schema, new: Schema, at: _Node, keeps: tuple[bool, bool]) -> Iterator[Change]:
    if not deep_equal(_default(old), _default(new)):
        judged = undecided(_SEEN) if at.place.watched else neutral("it stands for null only, of which none is stored")
        yield at.change(new.location, "default", judged, _default(old), _default(new))
    yield from _changes(old, new, at.below(keyword, is_resource=old.embedded or new.embedded, keeps=keeps))
