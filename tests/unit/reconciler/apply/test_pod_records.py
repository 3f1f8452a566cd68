"""Entries reach the record of a pod next to those of another writer, and of the right pod."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ovnguard.reconciler.apply.pod_records import Outcome, PodRecords
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from tests.support.attached_api import AttachedApi, path_of, pod

RECORD = "k8s.ovn.org/pod-networks"
ENTRY: JsonObject = {"ip_addresses": ["10.20.0.3/16"], "mac_address": "0a:58:0a:14:00:03"}
PATH = path_of(pod("a"))


class Racing(AttachedApi):
    """Between a read and the write that follows, something happens."""

    def __init__(self, happens: Callable[["Racing"], object], times: int = 1) -> None:
        super().__init__(pod("a"))
        self.happens, self.times = happens, times

    def request(
        self, method: str, path: str, query: Any = None, body: Any = None, content_type: str = ""
    ) -> JsonObject:
        answer = super().request(method, path, query, body, content_type)
        if method == "GET" and self.times:
            self.times -= 1
            self.happens(self)
        return answer


def write(api: AttachedApi, **entries: JsonObject) -> Outcome:
    uid = pod_in(api)["metadata"]["uid"] if PATH in api.stored else "gone"
    return PodRecords(api).write("blue", "a", uid, entries or {"default": ENTRY})


def pod_in(api: AttachedApi) -> JsonObject:
    return api.stored[PATH]


def test_what_another_writer_of_ours_adds_meanwhile_stays() -> None:
    api = Racing(lambda api: write(api, **{"red/net": ENTRY}))
    assert write(api) is Outcome.WRITTEN
    assert json.loads(pod_in(api)["metadata"]["annotations"][RECORD]) == {"default": ENTRY, "red/net": ENTRY}


def test_a_recorded_entry_is_never_replaced() -> None:
    api = AttachedApi(pod("a"))
    assert write(api) is Outcome.WRITTEN
    assert write(api, default={**ENTRY, "ip_addresses": ["10.20.0.4/16"]}) is Outcome.WRITTEN
    assert json.loads(pod_in(api)["metadata"]["annotations"][RECORD]) == {"default": ENTRY}


def test_a_pod_that_changes_all_the_time_is_left_for_later() -> None:
    api = Racing(lambda api: api.put(pod_in(api), labels={"version": str(api.times)}), 99)
    assert write(api) is Outcome.CHANGED
    assert (api.times, len(api.writes)) == (96, 3)


def test_another_pod_of_the_name_gets_nothing() -> None:
    api = AttachedApi(pod("a"))
    assert PodRecords(api).write("blue", "a", "uid-before", {"default": ENTRY}) is Outcome.GONE
    api.drop(PATH)
    assert write(api) is Outcome.GONE
    assert api.writes == []


@pytest.mark.parametrize("text", ["{", "[]", '{"default":{}}'])
def test_an_unreadable_record_is_left_alone(text: str) -> None:
    api = AttachedApi(pod("a"))
    write(api)
    found = pod_in(api)
    api.put({**found, "metadata": {**found["metadata"], "annotations": {RECORD: text}}})
    assert write(api) is Outcome.FOREIGN
    assert pod_in(api)["metadata"]["annotations"] == {RECORD: text}


def test_who_no_longer_leads_writes_nothing() -> None:
    api = AttachedApi(pod("a"))
    uid = pod_in(api)["metadata"]["uid"]
    assert PodRecords(api, lambda: False).write("blue", "a", uid, {"default": ENTRY}) is Outcome.CHANGED
    assert api.writes == []


def test_other_failures_are_raised() -> None:
    api = AttachedApi(pod("a"))
    api.failures[PATH] = ApiStatusError(403, "Forbidden", "no")
    with pytest.raises(ApiStatusError):
        write(api)
