"""Searches objects that an old definition accepts and a new one refuses. Needs hypothesis, as the strategies do.

Objects are drawn from both definitions: those that the old one allows, and those that the new one almost allows. Each
of them has the field that changed. A counterexample is shown only after both definitions judged it.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.crd.compiled_crd import CompiledCRD
from ovnguard.validators.evolution.changes import Change, Counterexample, Effect
from ovnguard.validators.evolution.evolution import Search, Searched, Served
from ovnguard.validators.evolution.schema_changes import RULES
from ovnguard.validators.go.text import json_text
from ovnguard.validators.testing import custom_resources

_PROOF: Final = "the old definition accepts the counterexample, and the new one refuses it"
Json = Mapping[str, Any]


def searching(examples: int) -> Search:
    """Return a search that draws ``examples`` objects of each definition for each change that is not proved safe."""
    return partial(_search, examples)


def _search(examples: int, changes: Sequence[Change], old: Served, new: Served) -> Searched:
    found: dict[int, _Case] = {}
    judged = 0
    with _elsewhere():
        for index, change in enumerate(changes):
            before, after = old.versions.get(change.version), new.versions.get(change.version)
            if change.is_safe or index in found or before is None or after is None:
                continue
            objects = _drawn(old.definition.source, change, examples, valid=True)
            # the server asks rules only about what the schema allows
            objects += _drawn(new.definition.source, change, examples, valid=change.keyword.startswith(RULES))
            judged += len(objects)
            for case in _refused(objects, before, after):
                _keep_simplest(found, case, changes, change.version)
    return Searched([_proved(change, found.get(index)) for index, change in enumerate(changes)], judged)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """Keep the tables of hypothesis in a temporary folder: usually they are below the working folder."""
    with tempfile.TemporaryDirectory() as home:
        set_hypothesis_home_dir(Path(home))
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def _drawn(definition: Json, change: Change, examples: int, *, valid: bool) -> list[Json]:
    focused = _focused_definition(definition, change.version, change.steps)
    try:
        return _draw(custom_resources(focused, change.version, valid=valid), examples)
    except HypothesisException:
        # nothing fits the focused schema, or only what is too hard to draw
        return []


def _draw(strategy: SearchStrategy[Any], examples: int) -> list[Json]:
    drawn: list[Json] = []

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: Json) -> None:
        drawn.append(value)

    draw()
    return drawn


class _Case(NamedTuple):
    """What only the new definition refuses: a creation, or an update of ``old``."""

    object: Json
    old: Json | None
    errors: tuple[FieldError, ...]

    @property
    def size(self) -> tuple[int, int]:
        """What makes a case simple: few errors, then a short text."""
        return len(self.errors), len(json_text([self.object, self.old]))


def _refused(objects: Iterable[Json], old: CompiledCRD, new: CompiledCRD) -> Iterator[_Case]:
    """Yield creations that only the new definition refuses, and updates of the object that was accepted before."""
    last: Json | None = None
    for obj in objects:
        created = old.verdict(obj)
        if not created.allowed or created.object is None:
            continue
        stored = created.object
        for before in (None, last):
            verdict = new.verdict(stored, before)
            if not verdict.allowed and (before is None or old.verdict(stored, before).allowed):
                yield _Case(_shown(stored), before and _shown(before), verdict.findings)
        last = stored


def _keep_simplest(found: dict[int, _Case], case: _Case, changes: Sequence[Change], version: str) -> None:
    """Keep a case for each change that causes one of its errors, if it is the simplest so far."""
    for index, change in enumerate(changes):
        if change.is_safe or change.version != version or not any(map(change.causes, case.errors)):
            continue
        if index not in found or case.size < found[index].size:
            found[index] = case


def _proved(change: Change, found: _Case | None) -> Change:
    if found is None:
        return change
    proof = change.proof if change.effect is Effect.NARROWS else _PROOF
    texts = tuple(dict.fromkeys(error.text for error in found.errors if change.causes(error)))
    shown = Counterexample(found.object, found.old, texts)
    return change._replace(effect=Effect.NARROWS, proof=proof, counterexample=shown)


def _shown(obj: Json) -> Json:
    """An object without the metadata that every drawn one has."""
    return {key: value for key, value in obj.items() if key not in {"apiVersion", "kind", "metadata"}}


def _focused_definition(definition: Json, name: str, steps: Sequence[str]) -> Json:
    """The definition, with each field on the way to a node required."""
    versions = [
        {**each, "schema": {"openAPIV3Schema": _focused(each["schema"]["openAPIV3Schema"], steps)}}
        if each["name"] == name
        else each
        for each in definition["spec"]["versions"]
    ]
    return {**definition, "spec": {**definition["spec"], "versions": versions}}


def _focused(schema: Json, steps: Sequence[str]) -> Json:
    keyword, *rest = steps or ("",)
    child = schema.get(keyword)
    if not isinstance(child, Mapping):
        return schema
    if keyword == "properties":
        name, *rest = rest
        if name not in child:
            return schema
        required = [*dict.fromkeys((*(schema.get("required") or ()), name))]
        return {**schema, "required": required, "properties": {**child, name: _focused(child[name], rest)}}
    least = "minItems" if keyword == "items" else "minProperties"
    return {**schema, keyword: _focused(child, rest), least: max(schema.get(least) or 0, 1)}
