"""`judge` tries the first schema set before it looks which one fits: the answers are the same as without that."""

import copy

import pytest

from tests.support.rule_case_files import Case, cases
from validators.admission import judge
from validators.base.json_types import JsonObject
from validators.bundled.catalog import Catalog, Chosen


class Choosing(Catalog):
    """Always looks at all sets."""

    def first(self, obj: JsonObject) -> Chosen | None:
        return None


_LIKELY, _CHOOSING = Catalog(), Choosing()


_CASES = [case for case in cases() if case.request.object and _LIKELY.first(case.request.object)]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}-{case.name}") for case in _CASES])
def test_the_likely_schema_set_gives_the_answer_of_the_chosen_one(case: Case) -> None:
    request, view = case.request, case.view
    for field_validation in ("Warn", "Strict"):
        likely, chosen = (
            judge(copy.deepcopy(request), view, catalog, field_validation=field_validation)
            for catalog in (_LIKELY, _CHOOSING)
        )
        assert likely == chosen


def test_a_kind_with_one_definition_has_no_first_one() -> None:
    kinds = (("k8s.ovn.org/v1", "UserDefinedNetwork"), ("v1", "Pod"), ("k8s.ovn.org/v9", "ClusterUserDefinedNetwork"))
    for api_version, kind in kinds:
        assert Catalog().first({"apiVersion": api_version, "kind": kind}) is None
    obj = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork"}
    first = Catalog().first(obj)
    assert first is not None
    assert first.schema_set == "enhancement"
    assert Catalog(schema_set="released").first(obj) is None


@pytest.mark.parametrize(("subresource", "field_validation"), [("scale", "Warn"), ("status", "Warn"), ("", "Loud")])
def test_a_wrong_call_is_refused_as_ever(subresource: str, field_validation: str) -> None:
    crd = Choosing().choose({"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork"})
    assert crd is not None
    for ask in (crd.crd.verdict, crd.crd.allow):
        with pytest.raises(ValueError, match=r"subresource|field_validation|old object"):
            ask({}, None, subresource, field_validation)
