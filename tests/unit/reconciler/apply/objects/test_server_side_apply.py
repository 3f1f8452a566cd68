"""Server-side apply of single objects, and how those of others become ours."""

from typing import Any

import pytest

from reconciler.apply.objects.server_side_apply import APPLIED, Applier, NotLeadingError, contains, spec_taken_over
from reconciler.rollout.loop.rollout_resources import DAEMON_SETS
from tests.support.fake_api import FakeApi
from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import ApiStatusError

PATH = "/apis/apps/v1/namespaces/ns/daemonsets/web"
DOCUMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "web", "namespace": "ns", "annotations": {"a": "1"}},
    "spec": {"template": {"spec": {"containers": [{"name": "one"}]}}},
}


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


def applier(api: FakeApi, *, leads: bool = True) -> Applier:
    return Applier(api, "ours", lambda: leads)


def test_what_is_applied_is_applied_once(api):
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is True
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is False
    assert api.writes == [("PATCH", PATH)]
    assert api.objects[PATH]["metadata"]["annotations"]["a"] == "1"


@pytest.mark.parametrize("change", ["hash", "value"])
def test_another_document_and_a_changed_object_are_applied_again(api, change):
    applier(api).apply(DAEMON_SETS, DOCUMENT)
    if change == "value":
        api.objects[PATH]["spec"]["template"]["spec"]["containers"][0]["name"] = "two"
    else:
        # a field that is not in the document any longer
        api.objects[PATH]["metadata"]["annotations"][APPLIED] = "0123456789abcdef"
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is True


def test_the_spec_of_somebody_else_becomes_ours_first(api):
    fields: JsonObject = {"f:spec": {"f:template": {"f:x": {}}}, "f:metadata": {"f:labels": {"f:b": {}}}}
    theirs = {"manager": "theirs", "operation": "Update", "apiVersion": "apps/v1", "fieldsV1": fields}
    api.put(PATH, {**DOCUMENT, "metadata": {**DOCUMENT["metadata"], "managedFields": [theirs]}})
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is True
    patches = api.bodies
    assert patches[0]["metadata"]["managedFields"] == [
        {**theirs, "fieldsV1": {"f:metadata": fields["f:metadata"]}},
        {
            "manager": "ours",
            "operation": "Apply",
            "apiVersion": "apps/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": fields["f:spec"]},
        },
    ]
    assert patches[0]["metadata"]["resourceVersion"] == "1"


@pytest.mark.parametrize(("rival", "becomes_ours"), [("rival", True), ("kubectl-edit", False)])
def test_the_spec_of_a_rival_becomes_ours_each_time(api, rival, becomes_ours):
    ours = Applier(api, "ours", lambda: True, lambda manager: manager == "rival")
    ours.apply(DAEMON_SETS, DOCUMENT)
    theirs = {"manager": rival, "operation": "Apply", "fieldsV1": {"f:spec": {"f:x": {}}}}
    api.objects[PATH]["metadata"]["managedFields"].append(theirs)
    api.bodies.clear()
    ours.apply(DAEMON_SETS, DOCUMENT)
    assert ["managedFields" in each["metadata"] for each in api.bodies] == ([True, False] if becomes_ours else [])


def test_what_others_add_is_no_change_of_ours(api):
    applier(api).apply(DAEMON_SETS, DOCUMENT)
    api.objects[PATH]["spec"]["template"]["spec"]["containers"].append({"name": "theirs"})
    api.answers["PATCH", PATH] = api.objects[PATH]
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is False


def test_fields_of_several_managers_are_united_and_those_of_the_status_stay():
    def entry(manager, spec, **more):
        return {"manager": manager, "fieldsV1": {"f:spec": spec}, **more}

    status = entry("kubelet", {"f:x": {}}, subresource="status")
    one: JsonObject = {"f:a": {"f:b": {}}, "f:d": {}}
    other: JsonObject = {"f:a": {"f:c": {}}}
    found = spec_taken_over([status, entry("one", one), entry("other", other)], "ours", "v1")
    assert found[0] == status
    assert found[1]["fieldsV1"] == {"f:spec": {"f:a": {"f:b": {}, "f:c": {}}, "f:d": {}}}
    assert len(found) == 2


@pytest.mark.parametrize("fields", [None, "x", [None, 3, {"fieldsV1": "x"}]])
def test_unreadable_managed_fields_are_left_as_they_are(fields):
    assert spec_taken_over(fields, "ours", "v1")[-1]["fieldsV1"] == {"f:spec": {}}


@pytest.mark.parametrize(
    ("observed", "wanted", "found"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({}, {"a": {}}, True),
        ({}, {"a": 1}, False),
        ([1, 2], [1], False),
        ([{"a": 1, "b": 2}], [{"a": 1}], True),
        (None, {"a": 1}, False),
        ({"a": 1}, [1], False),
    ],
)
def test_an_object_with_defaults_contains_its_document(observed, wanted, found):
    assert contains(observed, wanted) is found


def test_annotations_are_set_and_removed_once(api):
    api.put(PATH, DOCUMENT)
    assert applier(api).annotate(DAEMON_SETS, api.objects[PATH], {"b": "", "a": None}) is True
    assert api.objects[PATH]["metadata"]["annotations"] == {"b": ""}
    assert applier(api).annotate(DAEMON_SETS, api.objects[PATH], {"b": "", "a": None}) is False
    assert len(api.writes) == 1


def test_an_object_is_deleted_once(api):
    api.put(PATH, DOCUMENT)
    assert applier(api).delete(DAEMON_SETS, "ns", "web") is True
    assert applier(api).delete(DAEMON_SETS, "ns", "web") is False
    api.put(PATH, {**DOCUMENT, "metadata": {**DOCUMENT["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}})
    assert applier(api).delete(DAEMON_SETS, "ns", "web") is False
    assert api.writes == [("DELETE", PATH)]


def test_nothing_is_written_without_the_lease(api):
    with pytest.raises(NotLeadingError, match="no longer the leader"):
        applier(api, leads=False).apply(DAEMON_SETS, DOCUMENT)
    assert api.writes == []


def test_other_failures_of_reading_are_raised(api):
    api.failures["GET", PATH] = ApiStatusError(403, "Forbidden", "no")
    with pytest.raises(ApiStatusError, match="403 Forbidden: no"):
        applier(api).apply(DAEMON_SETS, DOCUMENT)
