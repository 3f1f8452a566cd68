"""Writes of whole objects: what is sent, what is believed until the watch shows it, what fails."""

import copy
from typing import Any

from ovnguard.reconciler.apply.objects.object_changes import DesiredObject, ObjectChanges, Replacement, object_changes
from ovnguard.reconciler.apply.objects.object_owners import MANAGER
from ovnguard.reconciler.apply.objects.object_writer import PATIENCE, ObjectWriter, Refusal
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.validators.cluster.resources import Resource
from tests.unit.reconciler.apply.objects.test_object_changes import document, stored

FRR = Resource("frrk8s.metallb.io", "v1beta1", "frrconfigurations", "FRRConfiguration", namespaced=True)
PATH = "/apis/frrk8s.metallb.io/v1beta1/namespaces/frr/frrconfigurations"


class Api:
    def __init__(self) -> None:
        self.sent: list[tuple[str, str, Any, Any]] = []
        self.failures: list[Exception] = []
        self.version = 10

    def request(self, method, path, query=None, body=None, content_type=""):
        self.sent.append((method, path, query, copy.deepcopy(body)))
        if self.failures:
            raise self.failures.pop(0)
        self.version += 1
        return stored(body, MANAGER, resourceVersion=str(self.version)) if method != "DELETE" else {}

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class World:
    def __init__(self) -> None:
        self.api, self.leads, self.now = Api(), True, 0.0
        self.writer = ObjectWriter(self.api, (FRR,), lambda: self.leads, lambda: self.now)


def test_each_write_has_our_manager_and_the_version_that_it_is_based_on():
    world = World()
    old, wrong = stored(document("old"), MANAGER), stored(document("wrong", ()), MANAGER)
    wanted = [DesiredObject(document("new")), DesiredObject(document("wrong"))]
    assert world.writer.write(object_changes(wanted, [old, wrong])) == []
    create, replace, delete = world.api.sent
    assert create == ("POST", PATH, {"fieldManager": MANAGER}, document("new"))
    assert replace[:3] == ("PUT", f"{PATH}/wrong", {"fieldManager": MANAGER})
    assert replace[3]["metadata"]["resourceVersion"] == "7"
    assert delete[:2] == ("DELETE", f"{PATH}/old")
    assert delete[3]["preconditions"] == {"uid": "uid-old", "resourceVersion": "7"}


def test_own_writes_count_until_the_watch_shows_them():
    world = World()
    wrong, old = stored(document("wrong", ()), MANAGER), stored(document("old"), MANAGER)
    wanted = [DesiredObject(document("new")), DesiredObject(document("wrong"))]
    world.writer.write(object_changes(wanted, [old, wrong]))
    shown = world.writer.shown([old, wrong])
    assert object_changes(wanted, shown) == ObjectChanges()
    # the watch shows the new object, and then that somebody deleted it
    new = stored(document("new"), MANAGER, resourceVersion="11")
    assert object_changes(wanted, world.writer.shown([old, wrong, new])) == ObjectChanges()
    assert [each.document["metadata"]["name"] for each in object_changes(wanted, world.writer.shown([])).create] == [
        "new",
        "wrong",
    ]


def test_a_write_that_the_watch_never_shows_was_undone():
    world = World()
    world.writer.write(object_changes([DesiredObject(document())], []))
    assert len(world.writer.shown([])) == 1
    world.now = PATIENCE
    assert world.writer.shown([]) == []


def test_failures_name_the_object_and_the_networks_that_need_it():
    world = World()
    wanted = DesiredObject(document(), ("default",))
    world.api.failures = [ApiStatusError(422, "Invalid", "resource is invalid for node n1")]
    text = "FRRConfiguration frr/ovnk-managed-bgp: cannot create: 422 Invalid: resource is invalid for node n1"
    assert world.writer.write(object_changes([wanted], [])) == [Refusal(("default",), text, 422)]
    world.api.failures = [ApiStatusError(409, "AlreadyExists", "there")]
    text = "FRRConfiguration frr/ovnk-managed-bgp: changed in the meantime, not written"
    assert world.writer.write(object_changes([wanted], [])) == [Refusal((), text, 409)]
    world.api.failures = [ClusterError("no answer")]
    text = "FRRConfiguration frr/ovnk-managed-bgp: cannot create: no answer"
    assert world.writer.write(object_changes([wanted], [])) == [Refusal(("default",), text)]
    assert world.writer.shown([]) == []


def test_what_is_gone_already_is_deleted():
    world = World()
    old = stored(document("old"), MANAGER)
    world.api.failures = [ApiStatusError(404, "NotFound", "gone")]
    assert world.writer.write(ObjectChanges(delete=(old,))) == []
    assert world.writer.shown([old]) == []


def test_a_former_leader_writes_nothing():
    world = World()
    world.leads = False
    found = stored(document(), MANAGER)
    changes = ObjectChanges(replace=(Replacement(found, DesiredObject(document()), found),))
    assert [each.text for each in world.writer.write(changes)] == ["no longer the leader: objects are not written"]
    assert world.api.sent == []
