"""Objects in memory behind the requests of an API server, as far as one writer of whole objects needs it."""

import copy
import itertools
from typing import Any

from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError


class FakeApi:
    """Every write changes an object at once; `writes` are verbs and paths. Applying merges, and removes nothing."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.writes: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.failures: dict[tuple[str, str], Exception] = {}
        # answers to requests that change nothing
        self.answers: dict[tuple[str, str], Any] = {}
        self._versions = itertools.count(1)

    def put(self, path: str, obj: dict[str, Any]) -> None:
        metadata = {
            "uid": f"uid-{path}",
            "generation": 1,
            **obj["metadata"],
            "resourceVersion": str(next(self._versions)),
        }
        self.objects[path] = {**copy.deepcopy(obj), "metadata": copy.deepcopy(metadata)}

    def request(self, method, path, query=None, body=None, content_type=""):
        if failure := self.failures.get((method, path)):
            raise failure
        if (method, path) in self.answers:
            return self.answers[method, path]
        if (query or {}).get("dryRun"):
            return copy.deepcopy(_merged(self.objects[path], body))
        if method != "GET":
            self.writes.append((method, path))
            self.bodies.append(copy.deepcopy(body))
        if method == "POST":
            place = f"{path}/{body['metadata']['name']}"
            if place in self.objects:
                raise ApiStatusError(409, "AlreadyExists", f"{place} exists")
            self.put(place, body)
            return copy.deepcopy(self.objects[place])
        found = self.objects.get(path)
        if found is None and content_type != APPLY_PATCH:
            raise ApiStatusError(404, "NotFound", f"{path} not found")
        if method == "PATCH":
            self._patch(path, found, body, content_type, (query or {}).get("fieldManager"))
        elif method == "DELETE":
            self._check(found, body["preconditions"])
            return self.objects.pop(path)
        return copy.deepcopy(self.objects[path])

    def watch(self, *_):
        raise AssertionError("nobody watches here")

    def _patch(self, path, found, body, content_type, manager) -> None:
        if found is not None and "resourceVersion" in body["metadata"]:
            self._check(found, {"resourceVersion": body["metadata"]["resourceVersion"]})
        now = _merged(found or {}, body)
        if content_type == APPLY_PATCH:
            others = [each for each in now["metadata"].get("managedFields", []) if each["manager"] != manager]
            now["metadata"]["managedFields"] = [*others, {"manager": manager, "operation": "Apply"}]
        if found is not None and now.get("spec") != found.get("spec"):
            now["metadata"]["generation"] += 1
        self.put(path, now)

    def _check(self, found, preconditions) -> None:
        if any(found["metadata"][key] != value for key, value in preconditions.items()):
            raise ApiStatusError(409, "Conflict", "the object has been modified")


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return copy.deepcopy(new)
    merged = {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return {key: value for key, value in merged.items() if value is not None}
