"""A definition, the one that replaces it, and what that changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ROOT, ErrorType, FieldError, minor
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, as_definition
from ovnguard.validators.crd.compiler import Compiler, Flawed
from ovnguard.validators.crd.definition_verdict import judge_definition
from ovnguard.validators.crd.prepared_request import served_version
from ovnguard.validators.evolution.changes import Change
from ovnguard.validators.evolution.definition_changes import definition_changes
from ovnguard.validators.evolution.stored_objects import Outcome, outcomes
from ovnguard.validators.go.json_decode import Undecodable
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.schema.schema import MalformedSchema

Json = Mapping[str, Any]


class Served(NamedTuple):
    """A definition, and each version that it serves, by name."""

    definition: StoredDefinition
    versions: Mapping[str, CompiledCRD]


class Searched(NamedTuple):
    """The changes with the counterexamples that a search found, and the number of objects that it judged."""

    changes: Sequence[Change]
    objects: int


Search = Callable[[Sequence[Change], Served, Served], Searched]
"""Searches counterexamples for the changes that are not proved to be safe."""


class Stored(NamedTuple):
    """A stored object that does not stay as it is."""

    object: Json
    outcomes: tuple[Outcome, ...]


class Evolution(NamedTuple):
    """What an update of a definition changes.

    ``errors`` are those of the update itself: the server refuses it. ``objects`` is the number of stored objects, and
    ``touched`` are those that do not stay as they are.
    """

    name: str
    errors: tuple[FieldError, ...]
    changes: tuple[Change, ...]
    objects: int = 0
    touched: tuple[Stored, ...] = ()
    searched: int = 0

    @property
    def refused(self) -> int:
        """The number of stored objects of which an update is refused."""
        return sum(any(outcome.refused for outcome in each.outcomes) for each in self.touched)

    @property
    def is_safe(self) -> bool:
        """Whether the server takes the update, refuses no stored object, and nothing narrows or is undecided."""
        return not self.errors and not self.refused and all(change.is_safe for change in self.changes)


def evolve(
    old: Json,
    new: Json,
    objects: Iterable[Json] = (),
    kubernetes: str = DEFAULT_KUBERNETES,
    search: Search | None = None,
) -> Evolution:
    """Return what an update of a definition changes; ``objects`` are stored ones of any kind.

    Raises `InvalidCRD` for an old definition that no server has stored.
    """
    meta = new.get("metadata")
    name = str(meta.get("name", "")) if isinstance(meta, Mapping) else ""
    verdict = judge_definition(new, old, kubernetes)
    before = served(old, kubernetes)
    try:
        after = served(new, kubernetes)
    except InvalidCRD as flaws:
        errors = verdict.errors or tuple(error.as_of(kubernetes) for error in flaws.errors)
        return Evolution(name, errors, ())
    changes: Sequence[Change] = definition_changes(before.definition, after.definition, minor(kubernetes))
    searched = 0
    if search is not None:
        changes, searched = search(changes, before, after)
    own = [each for each in objects if _is_of(each, after.definition)]
    found = (Stored(each, _touching(each, before, after)) for each in own)
    touched = tuple(each for each in found if each.outcomes)
    return Evolution(name, verdict.errors, tuple(changes), len(own), touched, searched)


def served(source: Json, kubernetes: str) -> Served:
    """Compile each served version of a stored definition, with the faults that an update may keep.

    Raises `InvalidCRD`.
    """
    written = as_definition(source)
    try:
        definition = StoredDefinition(written, minor(kubernetes))
        names = [each.get("name", "") for each in definition.written if each.get("served")]
        return Served(definition, {name: _compiled(written, name, kubernetes, definition) for name in names})
    except Flawed as flaws:
        raise InvalidCRD(flaws.errors) from None
    except (Undecodable, MalformedSchema) as fault:
        raise InvalidCRD([FieldError(ErrorType.INVALID, ROOT, detail=str(fault))]) from None


def _compiled(source: Json, version: str, kubernetes: str, stored: StoredDefinition) -> CompiledCRD:
    endpoint = Compiler(source, kubernetes, old=stored).compile(version)
    return CompiledCRD(served_version(endpoint), lambda: endpoint)


def _is_of(obj: Json, definition: StoredDefinition) -> bool:
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return (group, obj.get("kind")) == (definition.group, definition.names["kind"])


def _touching(obj: Json, old: Served, new: Served) -> tuple[Outcome, ...]:
    """What happens to an object; nobody knows what a webhook makes of it in another version than its own."""
    versions = new.versions
    if new.definition.conversion.get("strategy") == "Webhook":
        own = str(obj["apiVersion"]).rpartition("/")[2]
        versions = {name: each for name, each in versions.items() if name == own}
    return tuple(each for each in outcomes(obj, old.versions, versions) if not each.is_same)
