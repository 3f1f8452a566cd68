"""Lists of objects, page by page."""

from collections.abc import Mapping
from typing import Any

import pytest

from ovnguard.reconciler.apply.bundle.bundled_kinds import BUNDLED
from ovnguard.reconciler.apply.bundle.listing import pages
from ovnguard.validators.cluster.client_protocol import ApiStatusError

NODES = BUNDLED[0]


class Api:
    """Answers with pages, or raises, in order."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.queries: list[tuple[str, str, dict[str, str]]] = []

    def request(self, method: str, path: str, query: Mapping[str, str] | None = None, *_: object) -> dict[str, Any]:
        self.queries.append((method, path, dict(query or {})))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        found: dict[str, Any] = answer
        return found

    def watch(self, *_: object) -> Any:
        raise AssertionError("a bundle watches nothing")


def page(*names, more=""):
    return {"items": [{"metadata": {"name": name}} for name in names], "metadata": {"continue": more}}


def names(api):
    return [obj["metadata"]["name"] for found in pages(api, NODES) for obj in found]


def test_all_pages_are_read_and_each_object_names_its_kind():
    api = Api(page("a", "b", more="t"), page("c"))
    found = [obj for each in pages(api, NODES) for obj in each]
    assert found[0] == {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}
    assert [obj["metadata"]["name"] for obj in found] == ["a", "b", "c"]
    assert api.queries == [
        ("GET", "/api/v1/nodes", {"limit": "500"}),
        ("GET", "/api/v1/nodes", {"limit": "500", "continue": "t"}),
    ]


def test_a_list_whose_version_is_gone_begins_again():
    gone = ApiStatusError(410, "Expired", "too old")
    api = Api(page("a", more="t"), gone, page("a", "b"))
    assert names(api) == ["a", "a", "b"]
    with pytest.raises(ApiStatusError):
        names(Api(gone, gone, gone))


def test_a_kind_that_is_not_served_has_no_objects():
    assert names(Api(ApiStatusError(404, "NotFound", "no"))) == []
    with pytest.raises(ApiStatusError):
        names(Api(ApiStatusError(403, "Forbidden", "no")))
