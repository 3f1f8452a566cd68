"""The report on what new definitions change for people: what must be looked at first, neutral changes only counted."""

from collections.abc import Iterator
from typing import Any, Final

from ovnguard.validators.evolution.changes import Change, Effect
from ovnguard.validators.evolution.evolution import Evolution, Stored
from ovnguard.validators.evolution.stored_objects import Outcome
from ovnguard.validators.go.text import json_text
from ovnguard.validators.manifest.documents import identity_of
from ovnguard.validators.report.evolution_report import EvolutionReport
from ovnguard.validators.report.visible_text import visible

_LONGEST: Final = 160
_ORDER: Final = (Effect.NARROWS, Effect.UNDECIDED, Effect.WIDENS, Effect.NEUTRAL)
_COLOURS: Final = {Effect.NARROWS: "\x1b[31m", Effect.UNDECIDED: "\x1b[33m"}
_PLAIN: Final = "\x1b[0m"
_SIGNS: Final = {"\\u003c": "<", "\\u003e": ">", "\\u0026": "&"}
"""What Go's JSON escapes for pages."""


def render(report: EvolutionReport, *, colour: bool = False, verbose: bool = False) -> str:
    """Return the report as text with a final newline; ``verbose`` lists neutral changes, too."""
    lines = [line for each in report.evolutions for line in _evolution(each, colour=colour, verbose=verbose)]
    lines += [f"{visible(name)}: is gone, with all its objects" for name in report.removed]
    lines += [f"{visible(name)}: is new" for name in report.added]
    return "\n".join([*lines, *_summary(report)]) + "\n"


def _evolution(evolution: Evolution, *, colour: bool, verbose: bool) -> Iterator[str]:
    same = not (evolution.errors or evolution.changes or evolution.touched)
    yield f"{visible(evolution.name)}{': nothing changes' if same else ''}"
    for error in evolution.errors:
        yield f"  the API server refuses the update: {_cut(error.text)}"
    for change in sorted(evolution.changes, key=lambda each: _ORDER.index(each.effect)):
        if verbose or change.effect is not Effect.NEUTRAL:
            yield from _change(change, colour=colour)
    for stored in evolution.touched:
        yield from _stored(stored)


def _change(change: Change, *, colour: bool) -> Iterator[str]:
    code = _COLOURS.get(change.effect, "") if colour else ""
    effect = f"{code}{change.effect}{_PLAIN}" if code else change.effect.value
    place = " ".join(part for part in (change.version, change.field, change.keyword) if part)
    yield f"  {effect}: {visible(place)}: {_value(change.old)} -> {_value(change.new)}"
    yield f"    {_cut(change.proof)}"
    found = change.counterexample
    if found is not None:
        after = "" if found.old is None else f" in place of {_value(found.old)}"
        yield f"    counterexample: {_value(found.object)}{after}"
        yield from (f"      {_cut(error)}" for error in found.errors)


def _stored(stored: Stored) -> Iterator[str]:
    _, kind, namespace, name = identity_of(dict(stored.object))
    yield visible(f"  {kind} {namespace + '/' if namespace else ''}{name}")
    for outcome in stored.outcomes:
        yield from _outcome(outcome)


def _outcome(outcome: Outcome) -> Iterator[str]:
    version = ", ".join(outcome.versions)
    for text in outcome.refused:
        yield f"    {version}: every update is refused: {_cut(text)}"
    for text in outcome.forgiven:
        yield f"    {version}: accepted as long as the value stays: {_cut(text)}"
    for path in outcome.pruned:
        yield f"    {version}: loses {visible(path)}"
    for each in outcome.filled:
        yield f"    {version}: {visible(each.field)} becomes {_value(each.new)}, was {_value(each.old)}"


def _value(value: Any) -> str:
    """A value in JSON, with the signs of expressions as they are."""
    if value is None:
        return "nothing"
    text = json_text(value)
    for escape, sign in _SIGNS.items():
        text = text.replace(escape, sign)
    return _cut(text)


def _cut(text: str) -> str:
    return visible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _summary(report: EvolutionReport) -> Iterator[str]:
    effects = report.effects
    counts = [_count(len(report.evolutions), "definition")]
    counts += [f"{effects[effect]} {effect}" for effect in _ORDER]
    counts += [_count(report.objects, "stored object"), f"{report.refused} refused"]
    yield ", ".join(counts)
    if not report.searches and effects[Effect.UNDECIDED]:
        yield "no counterexamples were searched: that needs hypothesis (pip install hypothesis), and --examples above 0"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
