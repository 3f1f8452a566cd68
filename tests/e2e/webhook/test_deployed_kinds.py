"""Every resource of the registrations, in every way that it can be written: accepted, refused, tried as a dry run.

The overlay is in force and the webhook behind it; the table says which routes are asked and what users read.
"""

import copy
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deployed.deployed import DEPLOY, OURS, PLACES, Kubectl, namespaces, remove_namespace
from tests.support.deployed.in_force import MERGE, Deployed, Replica, asked, overlay_applied
from tests.support.rule_case_files import merged
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, wait_until

pytestmark = pytest.mark.e2e
TABLE: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "deployed_kinds.yaml").read_text(encoding="utf-8")
)
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
DRY = "dryRun=All"


@dataclass(frozen=True)
class Kind:
    """One entry of the table."""

    path: str
    entry: dict[str, Any]

    @property
    def object(self) -> dict[str, Any]:
        return copy.deepcopy(self.entry["object"])

    @property
    def name(self) -> str:
        return str(self.entry["object"]["metadata"]["name"])

    @property
    def where(self) -> str:
        return f"{self.path}/{self.name}"

    @property
    def note(self) -> str:
        return str(self.entry.get("note", "example.com/way"))

    @property
    def resource(self) -> str:
        """As kubectl takes it."""
        group = self.object["apiVersion"].rpartition("/")[0]
        plural = self.path.rpartition("/")[2]
        return f"{plural}.{group}" if group else plural

    def routes(self, operation: str) -> list[tuple[str, str, str]]:
        """What a write leads to."""
        return [(route, operation, "") for route in self.entry["asked"].get(operation, [])]


KINDS = [Kind(path, entry) for path, entry in TABLE.items()]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)


def having(*keys: str) -> pytest.MarkDecorator:
    """The kinds whose entries have something at a path of keys."""
    found = []
    for kind in KINDS:
        entry: Any = kind.entry
        for key in keys:
            entry = entry.get(key, {})
        if entry not in ({}, None):
            found.append(kind)
    assert found
    return pytest.mark.parametrize("kind", found, ids=lambda kind: kind.resource)


class Cluster(Deployed):
    """The cluster and the one replica in it."""

    def __init__(self, api: ApiServer, kubectl: Kubectl, folder: Path) -> None:
        self.replica = Replica(api, folder)
        super().__init__(api, kubectl, folder, self.replica.port, ["openshift-access"])

    def writes(self, method: str, path: str, body: Any = None, media: str = "application/json") -> list[Any]:
        """A request that succeeds; the routes that it led to."""
        answers: list[tuple[int, Any]] = []
        found = asked([self.replica], lambda: answers.append(self.api.request(method, path, body, media)))
        assert answers[0][0] in (200, 201), answers
        return found

    def stored(self, path: str) -> dict[str, Any] | None:
        status, found = self.api.request("GET", path)
        assert status in (200, 404), found
        return dict(found) if status == 200 else None


@pytest.fixture(scope="module")
def cluster(apiserver: ApiServer, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need(parts, "kube-apiserver")
    made = Cluster(apiserver, Kubectl(parts, apiserver), tmp_path_factory.mktemp("kinds"))
    with ExitStack() as undo:
        spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in PLACES - {OURS}]
        undo.enter_context(namespaces(apiserver, spaces))
        undo.enter_context(overlay_applied(made))
        undo.callback(made.replica.stop)
        made.replica.start()
        made.until_asked()
        yield made


def ways(kind: Kind, stored: dict[str, Any], change: dict[str, Any]) -> Iterator[tuple[str, str, Any, str]]:
    """Method, query, body and media type of each way to make a change."""
    wanted = merged(copy.deepcopy(stored), change)
    yield "PUT", "", wanted, "application/json"
    yield "PATCH", "", change, MERGE
    steps = [{"op": "add", "path": f"/{key}", "value": wanted[key]} for key in change if key != "metadata"]
    for key in change.get("metadata", {}):
        steps.append({"op": "add", "path": f"/metadata/{key}", "value": wanted["metadata"][key]})
    yield "PATCH", "", steps, JSON_PATCH
    head = {key: kind.object[key] for key in ("apiVersion", "kind")}
    intent = {**head, **change, "metadata": {"name": kind.name, **change.get("metadata", {})}}
    yield "PATCH", "fieldManager=kinds&force=true&", intent, APPLY


def there(cluster: Cluster, path: str, obj: dict[str, Any], undo: ExitStack) -> None:
    """Something exists, with its status, however admission is about it."""
    cluster.post(path, obj)
    where = f"{path}/{obj['metadata']['name']}"
    undo.callback(gone, cluster, where)
    if "status" in obj:
        cluster.patch(f"{where}/status", {"status": obj["status"]})


def gone(cluster: Cluster, where: str) -> None:
    """Whatever is there is taken away, by who breaks the glass if need be."""
    collection, _, name = where.rpartition("/")
    if collection == "/api/v1/namespaces":
        remove_namespace(cluster.api, name)
    elif cluster.api.request("DELETE", where)[0] == 422:
        resource = collection.rpartition("/")[2]
        glass = ("--as=somebody", "--as-group=ovnguard:break-glass", "--as-group=system:masters")
        space = re.search("/namespaces/([^/]+)/", where)
        cluster.kubectl(*glass, "-n", space[1] if space else "default", "delete", resource, name)
    wait_until(lambda: cluster.api.request("GET", where)[0] == 404, f"{where} is gone", 60)


@contextmanager
def prepared(cluster: Cluster, kind: Kind, *, create: bool) -> Iterator[None]:
    """What the kind needs is there, and the object itself if so wished."""
    with ExitStack() as undo:
        for path, obj in kind.entry.get("setup", ()):
            there(cluster, path, copy.deepcopy(obj), undo)
        if create:
            there(cluster, kind.path, kind.object, undo)
        yield


def seen(cluster: Cluster, act: Any, expected: str) -> str:
    """What is said of a request, once the view of the webhook has what the expectation is about."""
    answer = ""

    def matches() -> bool:
        nonlocal answer
        answer = act()
        return bool(answer == expected)

    with suppress(BedError):
        wait_until(matches, "the webhook's view", 60)
    return answer


@each_kind
def test_accepted_in_every_way(cluster: Cluster, kind: Kind) -> None:
    with prepared(cluster, kind, create=False), ExitStack() as undo:
        assert cluster.writes("POST", f"{kind.path}?{DRY}", kind.object) == kind.routes("CREATE")
        assert cluster.stored(kind.where) is None
        assert cluster.writes("POST", kind.path, kind.object) == kind.routes("CREATE")
        undo.callback(gone, cluster, kind.where)
        for number in range(4):
            before = cluster.stored(kind.where)
            assert before is not None
            notes = before["metadata"].get("annotations", {})
            for query in (f"?{DRY}", "?"):
                change = {"metadata": {"annotations": {**notes, kind.note: f"{number}"}}}
                method, options, body, media = list(ways(kind, before, change))[number]
                where = f"{kind.where}{query}&{options}".replace("?&", "?").rstrip("&?")
                assert cluster.writes(method, where, body, media) == kind.routes("UPDATE"), (method, media)
                now = cluster.stored(kind.where)
                assert now is not None
                assert (now == before) is (query != "?")
            after = cluster.stored(kind.where)
            assert after is not None
            assert after["metadata"]["annotations"][kind.note] == f"{number}"
        # what nobody needs to be asked about, and that dry runs leave things as they are
        finalizers = {"metadata": {"finalizers": ["example.com/hold"]}}
        assert cluster.writes("PATCH", f"{kind.where}?{DRY}", finalizers, MERGE) == []
        if kind.path != "/api/v1/namespaces":
            assert cluster.writes("DELETE", f"{kind.where}?{DRY}") == kind.routes("DELETE")
            assert cluster.stored(kind.where) is not None
            assert cluster.writes("DELETE", kind.where) == kind.routes("DELETE")
            assert cluster.stored(kind.where) is None


def refusal(cluster: Cluster, *arguments: str | Path) -> str:
    """What kubectl says of something that is refused."""
    done = cluster.kubectl(*arguments, check=False)
    return done.stderr if done.returncode == 1 else f"accepted: {done.stdout}{done.stderr}"


@having("refuse", "create")
def test_refused_creation(cluster: Cluster, kind: Kind) -> None:
    obj = merged(kind.object, kind.entry["refuse"]["create"])
    says = kind.entry["refuse"]["says"]["create"]
    with prepared(cluster, kind, create=False):
        file = cluster.manifest(obj)
        answer = seen(cluster, lambda: refusal(cluster, "create", "-f", file), says)
        assert answer == says
        assert refusal(cluster, "create", "--dry-run=server", "-f", file) == says
        assert refusal(cluster, "apply", "--server-side", "-f", file) == says
        assert cluster.stored(kind.where) is None


@having("refuse", "update")
def test_refused_change_in_every_way(cluster: Cluster, kind: Kind) -> None:
    change, says = kind.entry["refuse"]["update"], kind.entry["refuse"]["says"]["update"]
    with prepared(cluster, kind, create=True):
        place = ("-n", kind.object["metadata"].get("namespace", "default"))
        patch = ("patch", kind.resource, kind.name, *place, "--type=merge", "-p", json.dumps(change))
        answer = seen(cluster, lambda: refusal(cluster, *patch), says)
        assert answer == says
        before = cluster.stored(kind.where)
        assert before is not None
        messages = set()
        for query in (f"{DRY}&", ""):
            for method, options, body, media in ways(kind, before, change):
                status, answer = cluster.api.request(method, f"{kind.where}?{query}{options}".rstrip("&?"), body, media)
                assert status == 422, (method, media, query, answer)
                messages.add(answer["message"])
        assert len(messages) == 1
        assert cluster.stored(kind.where) == before


@having("warn")
def test_advice_is_a_warning_and_the_object_is_stored(cluster: Cluster, kind: Kind) -> None:
    """kubectl shows the advice, and the object is stored."""
    says = kind.entry["warn"]["says"]
    with prepared(cluster, kind, create=False), ExitStack() as undo:
        file = cluster.manifest(merged(kind.object, kind.entry["warn"]["create"]))

        def warned() -> str:
            return cluster.kubectl("create", "--dry-run=server", "-f", file, check=False).stderr

        answer = seen(cluster, warned, says)
        assert answer == says
        undo.callback(gone, cluster, kind.where)
        assert cluster.kubectl("create", "-f", file).stderr == says


@having("status")
def test_status(cluster: Cluster, kind: Kind) -> None:
    entry = kind.entry["status"]
    change, where = {"status": entry["change"]}, f"{kind.where}/status"
    routes = [(route, "UPDATE", "status") for route in entry["asked"]]
    with prepared(cluster, kind, create=True):
        before = cluster.stored(kind.where)
        assert cluster.writes("PATCH", f"{where}?{DRY}", change, MERGE) == routes
        assert cluster.stored(kind.where) == before
        assert cluster.writes("PATCH", where, change, MERGE) == routes
        stored = cluster.stored(kind.where)
        assert stored is not None
        assert merged(copy.deepcopy(stored["status"]), entry["change"]) == stored["status"]
        assert cluster.writes("PUT", where, stored) == routes
        intent = {key: kind.object[key] for key in ("apiVersion", "kind")} | {"metadata": {"name": kind.name}} | change
        assert cluster.writes("PATCH", f"{where}?fieldManager=kinds&force=true", intent, APPLY) == routes


@having("status", "refuse")
def test_refused_status_and_deletion(cluster: Cluster, kind: Kind) -> None:
    entry = kind.entry["status"]
    with prepared(cluster, kind, create=True):
        cluster.patch(f"{kind.where}/status", {"status": entry["change"]})
        before = cluster.stored(kind.where)
        patch = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": entry["refuse"]}))
        answer = refusal(cluster, "patch", kind.resource, kind.name, *patch)
        away = refusal(cluster, "delete", kind.resource, kind.name)
        assert answer == entry["says"]
        assert away == entry["goes"]
        assert refusal(cluster, "delete", "--dry-run=server", kind.resource, kind.name) == entry["goes"]
        assert cluster.stored(kind.where) == before


@having("goes")
def test_refused_deletion(cluster: Cluster, kind: Kind) -> None:
    says = kind.entry["goes"]["says"]
    with prepared(cluster, kind, create=True), ExitStack() as undo:
        for path, obj in kind.entry["goes"]["setup"]:
            there(cluster, path, copy.deepcopy(obj), undo)
        place = ("-n", kind.object["metadata"].get("namespace", "default"))
        trial = ("delete", "--dry-run=server", kind.resource, kind.name, *place)
        assert seen(cluster, lambda: refusal(cluster, *trial), says) == says
        assert refusal(cluster, "delete", kind.resource, kind.name, *place) == says
        assert cluster.stored(kind.where) is not None


def test_every_registered_resource_is_in_the_table() -> None:
    registered = set()
    for name in ("validating", "mutating"):
        document = yaml.safe_load((DEPLOY / "base" / f"{name}.yaml").read_text(encoding="utf-8"))
        for hook in document["webhooks"]:
            for rule in hook["rules"]:
                registered |= {(group, each) for group in rule["apiGroups"] for each in rule["resources"]}
    listed = set()
    for kind in KINDS:
        plural = kind.path.rpartition("/")[2]
        group = kind.object["apiVersion"].rpartition("/")[0]
        listed.add((group, plural))
        if kind.entry.get("status", {}).get("asked") or kind.entry.get("note"):
            listed.add((group, f"{plural}/status"))
    assert listed == registered
