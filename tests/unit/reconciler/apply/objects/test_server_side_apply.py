"""Server-side apply of single objects in place of another writer, and how they are handed back."""

import copy
from typing import Any

import pytest

from ovnguard.reconciler.apply.objects.server_side_apply import Applier, NotLeadingError, contains, parted
from ovnguard.reconciler.rollout.loop.rollout_resources import DAEMON_SETS
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from tests.support.fake_api import FakeApi

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


def test_a_changed_object_is_applied_again(api):
    applier(api).apply(DAEMON_SETS, DOCUMENT)
    api.objects[PATH]["spec"]["template"]["spec"]["containers"][0]["name"] = "two"
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is True


def entry(manager: str, fields: JsonObject, **more: Any) -> JsonObject:
    return {"manager": manager, "operation": "Apply", "apiVersion": "apps/v1", "fieldsV1": fields, **more}


def stored(api: FakeApi, *entries: JsonObject, **more: Any) -> None:
    api.put(PATH, {**DOCUMENT, **more, "metadata": {**DOCUMENT["metadata"], "managedFields": list(entries)}})


OWNERS, HYBRID = "f:ownerReferences", "f:operator.io/hybrid"
THEIRS: JsonObject = {
    "f:metadata": {"f:annotations": {".": {}, "f:a": {}, "f:old": {}, HYBRID: {}}, OWNERS: {}},
    "f:spec": {"f:template": {"f:x": {}}},
}


def replacing(api: FakeApi) -> Applier:
    keeps = ("ownerReferences", "operator.io/hybrid").__contains__
    return Applier(api, "ours", lambda: True, lambda manager: manager == "rival", keeps)


def test_what_the_document_lacks_of_the_replaced_writers_fields_becomes_ours_first(api):
    status = entry("rival", {"f:status": {}}, subresource="status")
    kubectl = entry("kubectl", {"f:spec": {"f:y": {}}})
    stored(api, status, kubectl, entry("rival", THEIRS), entry("ours", {"f:metadata": {"f:labels": {}}}))
    assert replacing(api).apply(DAEMON_SETS, DOCUMENT) is True
    first = api.bodies[0]["metadata"]
    assert first["managedFields"] == [
        status,
        kubectl,
        entry("rival", {"f:metadata": {"f:annotations": {".": {}, "f:a": {}, HYBRID: {}}, OWNERS: {}}}),
        {
            "manager": "ours",
            "operation": "Apply",
            "apiVersion": "apps/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:annotations": {"f:old": {}}, "f:labels": {}},
                "f:spec": {"f:template": {"f:x": {}}},
            },
        },
    ]
    assert first["resourceVersion"] == "1"
    assert api.bodies[1] == DOCUMENT


@pytest.mark.parametrize("manager", ["kubectl-edit", "rival"])
def test_an_object_that_is_as_the_document_stays_with_whoever_wrote_it(api, manager):
    fields: JsonObject = {
        "f:metadata": {"f:annotations": {"f:a": {}}, OWNERS: {}},
        "f:spec": {"f:template": {"f:spec": {}}},
    }
    stored(api, entry(manager, fields))
    assert replacing(api).apply(DAEMON_SETS, DOCUMENT) is False
    assert api.writes == []


def test_a_field_that_we_applied_and_that_the_document_lacks_is_applied_away(api):
    stored(api, entry("ours", {"f:metadata": {"f:annotations": {"f:gone": {}}}}))
    replacing(api).apply(DAEMON_SETS, DOCUMENT)
    assert api.bodies == [DOCUMENT]


def test_the_api_server_may_have_its_own_form_of_a_value(api):
    """0 is stored as "0": a dry run shows that nothing changes."""
    stored(api, spec={"hard": {"pods": "0"}})
    seen = []

    def request(method, path, query=None, body=None, content_type=""):
        if query and query.get("dryRun"):
            seen.append(query)
            return copy.deepcopy(api.objects[PATH])
        return FakeApi.request(api, method, path, query, body, content_type)

    api.request = request
    assert applier(api).apply(DAEMON_SETS, {**DOCUMENT, "spec": {"hard": {"pods": 0}}}) is False
    assert seen == [{"fieldManager": "ours", "force": "true", "dryRun": "All"}]


def test_what_is_released_belongs_to_the_heir(api):
    status = entry("heir", {"f:status": {}}, subresource="status")
    stored(api, status, entry("ours", {"f:spec": {"f:a": {}}}, time="2"), entry("ours-marks", {"f:metadata": {}}))
    ours = Applier(api, "ours", lambda: True, heir="heir")
    assert ours.release(DAEMON_SETS, "ns", "web") is True
    assert api.bodies == [
        {"metadata": {"managedFields": [status, entry("heir", {"f:spec": {"f:a": {}}})], "resourceVersion": "1"}}
    ]
    assert ours.release(DAEMON_SETS, "ns", "web") is False
    assert ours.release(DAEMON_SETS, "ns", "none") is False


def test_an_heir_that_has_fields_gets_more_and_keeps_its_time(api):
    stored(api, entry("heir", {"f:spec": {"f:b": {}}}, time="1"), entry("ours", {"f:spec": {"f:a": {}}}, time="2"))
    Applier(api, "ours", lambda: True, heir="heir").release(DAEMON_SETS, "ns", "web")
    assert api.bodies[0]["metadata"]["managedFields"] == [entry("heir", {"f:spec": {"f:a": {}, "f:b": {}}}, time="1")]


def test_the_only_entry_is_removed_too(api):
    stored(api, entry("ours-marks", {}))
    applier(api).release(DAEMON_SETS, "ns", "web")
    assert api.bodies[0]["metadata"]["managedFields"] == [{}], "an empty list would be ignored"


def test_what_others_add_is_no_change_of_ours(api):
    applier(api).apply(DAEMON_SETS, DOCUMENT)
    api.objects[PATH]["spec"]["template"]["spec"]["containers"].append({"name": "theirs"})
    api.answers["PATCH", PATH] = api.objects[PATH]
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is False


@pytest.mark.parametrize(
    ("fields", "moved"),
    [
        ({"f:a": {}}, {}),
        ({"f:b": {}}, {"f:b": {}}),
        ({"f:b": {".": {}, "f:c": {}}}, {"f:b": {".": {}, "f:c": {}}}),
        ({"f:list": {'k:{"name":"one"}': {".": {}, "f:name": {}}}}, {}),
        ({"f:list": {'k:{"name":"two"}': {"f:x": {}}}}, {"f:list": {'k:{"name":"two"}': {"f:x": {}}}}),
        (
            {"f:list": {'k:{"name":"one"}': {".": {}, "f:image": {}}}},
            {"f:list": {'k:{"name":"one"}': {"f:image": {}}}},
        ),
        ({"f:list": {'k:{"name":"one","protocol":"TCP"}': {"f:name": {}}}}, {}),
        ({"f:set": {'v:"x"': {}}}, {}),
        ({"f:set": {'v:"y"': {}}}, {"f:set": {'v:"y"': {}}}),
        ({"f:set": {"i:0": {}}}, {}),
        ({"f:set": {"i:1": {}}}, {"f:set": {"i:1": {}}}),
        ({"f:a": {"f:x": {}}}, {"f:a": {"f:x": {}}}),
        ({"other": {}}, {"other": {}}),
        ({"f:none": {"f:kept": {}, "f:gone": {}}}, {"f:none": {"f:gone": {}}}),
        ({}, {}),
    ],
)
def test_managed_fields_that_a_document_lacks(fields, moved):
    document = {"a": 1, "list": [{"name": "one"}], "set": ["x"]}
    assert parted(fields, document, lambda field: field == "kept")[1] == moved


@pytest.mark.parametrize("fields", [None, "x", [None, 3, {"fieldsV1": "x"}]])
def test_unreadable_managed_fields_are_left_as_they_are(api, fields):
    api.put(PATH, {**DOCUMENT, "metadata": {**DOCUMENT["metadata"], "managedFields": fields}})
    assert applier(api).apply(DAEMON_SETS, DOCUMENT) is False
    assert applier(api).release(DAEMON_SETS, "ns", "web") is False


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


def test_what_the_api_server_ignores_of_a_document_is_no_difference(api):
    stored(api, status={"storedVersions": ["v1"]})
    ignored = {**DOCUMENT, "metadata": {**DOCUMENT["metadata"], "creationTimestamp": None}, "status": {"x": []}}
    api.failures["PATCH", PATH] = AssertionError("asked")
    assert applier(api).apply(DAEMON_SETS, ignored) is False
