"""The JSON report on what new definitions change; its schema is published in docs/schemas/evolution-v1.json."""

import json
from typing import Any

from ovnguard.validators.evolution.changes import Change, Counterexample, Effect
from ovnguard.validators.evolution.evolution import Evolution, Stored
from ovnguard.validators.evolution.stored_objects import Outcome
from ovnguard.validators.manifest.documents import identity_of
from ovnguard.validators.report.evolution_report import EvolutionReport
from ovnguard.validators.report.findings import API_VERSION


def render(report: EvolutionReport) -> str:
    """Return the report as indented JSON text with a final newline."""
    effects = report.effects
    document = {
        "apiVersion": API_VERSION,
        "kubernetes": report.kubernetes,
        "safe": report.is_safe,
        "summary": {
            "definitions": len(report.evolutions),
            "changes": {effect.value: effects[effect] for effect in Effect},
            "objects": report.objects,
            "refused": report.refused,
        },
        "added": list(report.added),
        "removed": list(report.removed),
        "definitions": [_definition(each) for each in report.evolutions],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _definition(evolution: Evolution) -> dict[str, Any]:
    return {
        "name": evolution.name,
        "errors": [error.text for error in evolution.errors],
        "changes": [_change(each) for each in evolution.changes],
        "searched": evolution.searched,
        "objects": evolution.objects,
        "touched": [_stored(each) for each in evolution.touched],
    }


def _change(change: Change) -> dict[str, Any]:
    found = change.counterexample
    return {
        "version": change.version,
        "field": change.field,
        "keyword": change.keyword,
        "effect": change.effect.value,
        "old": change.old,
        "new": change.new,
        "proof": change.proof,
        "counterexample": None if found is None else _counterexample(found),
    }


def _counterexample(found: Counterexample) -> dict[str, Any]:
    return {"object": found.object, "old": found.old, "errors": list(found.errors)}


def _stored(stored: Stored) -> dict[str, Any]:
    _, kind, namespace, name = identity_of(dict(stored.object))
    outcomes = [_outcome(each) for each in stored.outcomes]
    return {"kind": kind, "namespace": namespace, "name": name, "outcomes": outcomes}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "versions": list(outcome.versions),
        "refused": list(outcome.refused),
        "forgiven": list(outcome.forgiven),
        "pruned": list(outcome.pruned),
        "filled": [{"field": each.field, "old": each.old, "new": each.new} for each in outcome.filled],
    }
