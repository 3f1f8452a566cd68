"""The JSON report on rule costs; its schema is published in docs/schemas/cost-v1.json."""

import json
from collections.abc import Sequence
from typing import Any

from ovnguard.validators.cost import CRD_LIMIT, RULE_LIMIT, RuleCost, SchemaCost
from ovnguard.validators.report.cost_report import Costed, CostReport
from ovnguard.validators.report.findings import API_VERSION


def render(report: CostReport) -> str:
    """Return the report as indented JSON text with a final newline."""
    document = {
        "apiVersion": API_VERSION,
        "kubernetes": report.kubernetes,
        "limits": {"rule": RULE_LIMIT, "crd": CRD_LIMIT},
        "summary": {
            "crds": len(report.definitions),
            "rules": report.rules,
            "over": report.over,
            "errors": len(report.problems) + sum(len(one.cost.flaws) for one in report.definitions),
        },
        "crds": [_definition(one) for one in report.definitions],
        "problems": [str(problem) for problem in report.problems],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _definition(costed: Costed) -> dict[str, Any]:
    return {
        "source": costed.source,
        "name": costed.cost.name,
        "schemas": [_schema(one) for one in costed.cost.schemas],
        "errors": _texts(costed.cost.flaws),
    }


def _schema(schema: SchemaCost) -> dict[str, Any]:
    return {
        "versions": list(schema.versions),
        "cost": schema.total,
        "share": schema.total / CRD_LIMIT,
        "over": schema.over,
        "rules": [_rule(rule) for rule in schema.rules],
        "errors": _texts(schema.errors),
    }


def _rule(rule: RuleCost) -> dict[str, Any]:
    return {
        "path": rule.path,
        "field": rule.field,
        "expression": rule.text,
        "cost": rule.cost,
        "cost_per_call": rule.per_call,
        "calls": rule.times,
        "share_of_rule_limit": rule.cost / RULE_LIMIT,
        "share_of_crd_limit": rule.cost / CRD_LIMIT,
        "over": rule.over,
        "missing": [{"path": one.path, "keyword": one.keyword, "assumed": one.assumed} for one in rule.missing],
        "fits_at": rule.fits_at,
    }


def _texts(errors: Sequence[Any]) -> list[str]:
    return [str(error.text) for error in errors]
