"""What a tenant reads about a namespaced object names no object outside its namespace."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from ovnguard.validators.network.cluster_view import CONFIG_MAP, INFRASTRUCTURE, NAMESPACE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig
from tests.support.rule_case_files import Case, cases

# Kinds of one object each, whose name and values everybody knows.
_SINGLE: Final = frozenset({OPERATOR_NETWORK, INFRASTRUCTURE, CONFIG_MAP})
NAMESPACED: Final = [
    case
    for case in cases()
    if case.speaks and dig(case.request.object or case.request.old, "metadata", "namespace") and "view" in case.source
]


def _elsewhere(case: Case, namespace: str) -> Iterator[str]:
    """Names of objects that a tenant of ``namespace`` need not know."""
    for entry in case.source["view"]:
        obj = entry.get("of", entry)
        kind = group_kind_of(obj)
        if kind in _SINGLE or dig(obj, "metadata", "namespace") == namespace or kind == NAMESPACE:
            continue
        yield str(dig(obj, "metadata", "name")).replace("$", "0")
        yield str(dig(obj, "metadata", "namespace") or "")


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}-{case.name}") for case in NAMESPACED])
def test_a_finding_names_no_object_outside_the_namespace(case: Case) -> None:
    obj: Any = case.request.object or case.request.old
    namespace = obj["metadata"]["namespace"]
    answer = case.judge()
    own = json.dumps([obj, case.source.get("old")])
    hidden = {name for name in _elsewhere(case, namespace) if name and name not in own}
    for error in (*answer.errors, *answer.warnings):
        if error.rule == case.rule:
            detail = error.in_public().detail
            assert [
                name for name in sorted(hidden) if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", detail)
            ] == []
