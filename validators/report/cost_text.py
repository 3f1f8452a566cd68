"""The report on rule costs for people: one table per schema, the most expensive rules first, at most 100 columns."""

import textwrap
from collections.abc import Iterator
from typing import Final

from ovnguard.validators.cost import CRD_LIMIT, RULE_LIMIT, MissingBound, RuleCost, SchemaCost
from ovnguard.validators.report.cost_report import Costed, CostReport
from ovnguard.validators.report.visible_text import visible

WIDTH: Final = 100
_RED: Final = "\x1b[31m"
_PLAIN: Final = "\x1b[0m"
_HUGE: Final = 10**12
_INDENT: Final = " " * 30


def render(report: CostReport, *, colour: bool = False) -> str:
    """Return the report as text with a final newline; rules over their limit are red with ``colour``."""
    lines = [line for one in report.definitions for line in _definition(one, colour=colour)]
    return "\n".join([*lines, *_summary(report)]) + "\n"


def _definition(costed: Costed, *, colour: bool) -> Iterator[str]:
    name = f"{costed.cost.name} ({costed.source})"
    if not costed.cost.schemas:
        yield from _wrapped(f"{name}: no rules", "")
    for schema in costed.cost.schemas:
        yield from _schema(schema, f"{name} {', '.join(schema.versions)}", colour=colour)
    for flaw in costed.cost.flaws:
        yield from _wrapped(f"error: {flaw.text}", "  ")
    yield ""


def _schema(schema: SchemaCost, name: str, *, colour: bool) -> Iterator[str]:
    rules = f"{len(schema.rules)} {'rule' if len(schema.rules) == 1 else 'rules'}"
    total = f"{_amount(schema.total)} of {CRD_LIMIT:,} ({_share(schema.total, CRD_LIMIT)})"
    yield from _wrapped(f"{name}: {rules}, {total}{', over the limit' if schema.total > CRD_LIMIT else ''}", "")
    yield f"{'COST':>14} {'OF RULE':>7} {'OF CRD':>6}  RULE"
    for rule in schema.rules:
        head, *rest = _rule(rule)
        yield f"{_RED}{head}{_PLAIN}" if colour and rule.over else head
        yield from rest


def _rule(rule: RuleCost) -> Iterator[str]:
    head = f"{_amount(rule.cost):>14} {_share(rule.cost, RULE_LIMIT):>7} {_share(rule.cost, CRD_LIMIT):>6}"
    path, *more = _pieces(_place(visible(rule.path)))
    yield f"{head}  {path}"
    yield from (f"{_INDENT}{piece}" for piece in more)
    text = " ".join(visible(rule.text).split())
    room = WIDTH - len(_INDENT) - 2
    yield f"{_INDENT}  {text if len(text) <= room else text[: room - 1] + '…'}"
    if rule.times != 1:
        yield f"{_INDENT}  {_amount(rule.per_call)} a call, up to {_amount(rule.times)} calls"
    for bound in rule.missing:
        yield from _missing(bound)
    if rule.fits_at:
        yield f"{_INDENT}  -> within the limit with each at most {rule.fits_at:,}"
    elif rule.over:
        advice = "no missing bound would bring it within the limit: simplify the rule, or lower its existing bounds"
        yield from _wrapped(f"-> {advice}", f"{_INDENT}  ")


def _missing(bound: MissingBound) -> Iterator[str]:
    unit = {"maxLength": "bytes", "maxItems": "items", "maxProperties": "entries"}[bound.keyword]
    yield from _wrapped(
        f"missing {bound.keyword}: {visible(bound.path) or 'the object'} ({bound.assumed:,} {unit})", f"{_INDENT}  "
    )


def _place(path: str) -> str:
    """``spec.x-kubernetes-validations[0].rule`` as ``spec: rule 0``."""
    node, _, rest = path.rpartition("x-kubernetes-validations[")
    index, _, kind = rest.partition("].")
    return f"{node.rstrip('.') or 'the object'}: {'rule' if kind == 'rule' else 'message of rule'} {index}"


def _pieces(path: str) -> list[str]:
    """A path in lines, broken after dots where possible. The figures before the first line are a column wider."""
    room = WIDTH - len(_INDENT) - 1
    pieces = []
    while len(path) > room:
        at = path.rfind(".", 0, room) + 1 or room
        pieces.append(path[:at])
        path = path[at:]
    return [*pieces, path]


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    ) or [indent]


def _amount(amount: int) -> str:
    return f"{amount:,}" if amount < _HUGE else f"{amount:.1e}"


def _share(amount: int, limit: int) -> str:
    share = amount / limit
    if share < 10:
        return f"{share:.1%}"
    return f"{share:.0f}x" if share < 10_000 else f"{share:.0e}x"


def _summary(report: CostReport) -> Iterator[str]:
    for problem in report.problems:
        yield from _wrapped(f"error: {problem}", "")
    count = len(report.definitions)
    yield (
        f"{count} {'CRD' if count == 1 else 'CRDs'}, {report.rules} {'rule' if report.rules == 1 else 'rules'}, "
        f"{report.over} over a limit (Kubernetes {report.kubernetes}: {RULE_LIMIT:,} a rule, {CRD_LIMIT:,} a schema)"
    )
