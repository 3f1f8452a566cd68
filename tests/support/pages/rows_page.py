"""docs/rows.md, generated from the rules that explain differences from OVN-Kubernetes' own rows."""

from ovnguard.reconciler.plan.comparison.explanation import Explanation
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.rows.northbound import tables
from tests.support.topology_values import VALUES, RowValue

TRACED = "tests/functional/test_left_behind.py::test_packets_take_the_same_way_on_both_sides"
# How many differences of all recordings each rule explains.
EXPLAINED = {
    "default-services-of-the-second-family": 36,
    "egress-services-of-primary-networks": 5,
    "excluded-addresses-of-advertised-networks": 6,
    "grace": 41,
    "nat-of-networks-not-advertised-any-more": 8,
    "pods-on-deleted-attachments": 2,
    "refused-pods": 3,
    "remote-routers-after-upgrade": 2,
    "reservation-beyond-ipv6": 118,
    "sets-of-deleted-networks": 8,
    "stranded-pods": 1,
    "subnets-of-deleted-networks": 1,
}

HEAD = """# Rows that differ from OVN-Kubernetes' own

This page lists the rows of a plan that differ from those of OVN-Kubernetes. The plan of a zone is what OVN-Kubernetes'
controllers write into the Northbound database of that zone: the same rows with the same columns.

The exceptions have one line each: what differs, why, the place in OVN-Kubernetes (below `go-controller/pkg`, where it
was looked up with the line in a commit), and how many differences of all recordings the rule explains.
`tests/functional/test_left_behind.py` loads a recorded zone for every rule, and the plan of the same objects, into real
databases, and follows packets through both with `ovn-trace`. Keys `ovnguard.io/*` of `external_ids` are ovnguard's own
and do not count as a difference.

- *intended*: the plan differs on purpose.
- *equivalent*: other rows with the same effect.
- *another controller's*: rows of an object that no plan contains.

Rows are compared by what identifies them in OVN, because two writers never give a row the same UUID: by name, an address set or
port group by its `k8s.ovn.org/id`, and a row without a name by the row that refers to it and the columns that OVN matches with.
Columns that northd writes (`up`, `dynamic_addresses`, `status`, and `tag` with `tag_request`) are not compared. A row that only one side has is one
difference; the references to it are none.

`tests/conformance/test_recorded_rows.py` plans the inputs of recordings of the real controllers and compares the rows. A
difference without a rule fails it, and so does a rule that explains no difference in any recording. `python -m
tests.support.recorded_rows` counts. [Audits](audit.md) of running clusters use the same rules.

A running OVN-Kubernetes may differ from a recording of itself: if a network is advertised while its controller starts, the
source NAT of its pods (`outboundSNAT`) can stay without its match until the controller restarts. The plan has the match.

A rule names exact tables, rows and columns. Some rules depend on what only the plan knows, such as the networks that a node does
not use or that OVN-Kubernetes never starts; `plan -o json --node NODE` lists it as `left_out`. What OVN-Kubernetes leaves behind
after a change is explained only if it is exactly as it was planned before the change, in the same place: another address, another
switch or one more column is drift.

This page is generated from `reconciler/plan/comparison` and `tests/support/topology_values.py` (`pytest tests/unit/docs --update`).

| rule | kind | what differs | why | source | explains |
|---|---|---|---|---|---|
"""


CONSTANTS = """
## Constant values

What `reconciler/plan/topology` writes into every plan, with the source in OVN-Kubernetes (paths below `go-controller/pkg`). A
test plans a small network for each line and compares the value:
`tests/unit/reconciler/plan/topology/test_topology_values.py::test_value`. `bands>rate` is a column of the rows that `bands` refers
to.

| table | rows | column | value | meaning | source | test |
|---|---|---|---|---|---|---|
"""


def render() -> str:
    """The whole page."""
    rules = "".join(map(_line, sorted(EXPLANATIONS, key=lambda each: each.id)))
    return HEAD + rules + CONSTANTS + "".join(map(_constant, VALUES))


def _constant(each: RowValue) -> str:
    value = each.value if isinstance(each.value, tuple) else (each.value,)
    text = ", ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in value)
    cells = (f"`{each.rows}`", f"`{each.column}`", f"`{text}`", each.why, each.source, f"`test_value[{each.name}]`")
    return f"| {each.table} | {' | '.join(cells)} |\n"


def _line(each: Explanation) -> str:
    named = tuple(dict.fromkeys(table for pattern in each.patterns for table in pattern.tables))
    where = "all tables" if named == tables() else ", ".join(named)
    count = EXPLAINED[each.id]
    return f"| {each.id} | {each.kind.value} | {where}: {each.what} | {each.why} | `{each.source}` | {count} |\n"
