"""An API server and DNS servers in memory, for the loops of user-managed DNS."""

import copy
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from ovnguard.reconciler.dns.apply.lookup import Answer, Question
from ovnguard.reconciler.dns.loop.dns_report import DnsReporter
from ovnguard.reconciler.dns.loop.followed_names import FollowedNames
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.network.cluster_view import GroupKind


def key(obj: dict) -> tuple[GroupKind, str, str]:
    group = obj["apiVersion"].rpartition("/")[0]
    return GroupKind(group, obj["kind"]), obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


class Cluster:
    """A view, and a client that writes Events and patches the status of the Infrastructure."""

    def __init__(self, *objects: dict) -> None:
        self.stored: dict = {}
        self.events: list[tuple[str, str, str]] = []
        self.patches: list[dict] = []
        self.failure: Exception | None = None
        self.waiting: tuple[str, ...] = ()
        for obj in objects:
            self.put(obj)

    def put(self, obj: dict) -> None:
        obj = copy.deepcopy(obj)
        obj["metadata"] |= {"uid": "u", "resourceVersion": str(len(self.patches) + 1)}
        self.stored[key(obj)] = obj

    def remove(self, obj: dict) -> None:
        del self.stored[key(obj)]

    def objects(self, kind: GroupKind):
        return tuple(obj for (each, _, _), obj in sorted(self.stored.items()) if each == kind)

    def waiting_for(self):
        return self.waiting

    def watch(self, *_):
        raise AssertionError("nobody watches here")

    def request(self, method, path, query=None, body=None, content_type=""):
        if "/events" in path:
            self.events.append((body["type"], body["reason"], body["note"]))
            return body
        if self.failure is not None:
            raise self.failure
        (place,) = (each for each in self.stored if each[0].kind == "Infrastructure")
        assert (method, path) == ("PATCH", "/apis/config.openshift.io/v1/infrastructures/cluster/status")
        if body["metadata"]["resourceVersion"] != self.stored[place]["metadata"]["resourceVersion"]:
            raise ApiStatusError(409, "Conflict", "modified")
        self.patches.append(body["status"])
        self.put(_merged(self.stored[place], {"status": body["status"]}))
        return self.stored[place]


def _merged(one: dict, other: dict) -> dict:
    both = {name: _merged(one.get(name, {}), each) if isinstance(each, dict) else each for name, each in other.items()}
    return {**one, **both}


class World:
    """A cluster with its reporter, names that resolve as ``answers`` says, and a clock that a test moves."""

    def __init__(self, *objects: dict) -> None:
        self.now = 1000.0
        self.cluster = Cluster(*objects)
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        self.reporter = DnsReporter(EventRecorder(self.cluster, "n1", lambda: moment, lambda: self.now))
        self.names = FollowedNames(self.look_up, lambda: self.now)

    def look_up(self, questions):
        questions = tuple(questions)
        self.asked += dict.fromkeys(question.name for question in questions)
        return {question: self._answer(question) for question in questions}

    def _answer(self, question: Question) -> Answer:
        found = self.answers.get(question.name, "NXDOMAIN")
        if isinstance(found, dict):
            found = found[question.version]
        if isinstance(found, str):
            return Answer(problem=found)
        ips = tuple(ip for text in found if (ip := ip_address(text)).version == question.version)
        return Answer(ips, 60 if ips else 0)
