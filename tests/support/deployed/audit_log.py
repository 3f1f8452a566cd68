"""An API server that records what accounts ask of it, and what it recorded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.rights.model import Request
from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Parts

CREATED = 201
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts", "system:nodes"]},
        {"level": "Metadata", "verbs": ["create", "update", "patch", "delete"]},
        {"level": "None"},
    ],
}


def audited(folder: Path, parts: Parts) -> ApiServer:
    """An API server that records all requests of accounts and nodes, and all writes of others."""
    folder.mkdir(exist_ok=True)
    policy = folder / "audit-policy.json"
    policy.write_text(json.dumps(POLICY))
    flags = (f"--audit-policy-file={policy}", f"--audit-log-path={log_of(folder)}")
    return ApiServer(folder / "api", parts, flags)


def log_of(folder: Path) -> Path:
    """Where it records."""
    return folder / "audit.log"


def recorded(log: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """The events in a log, from an octet on."""
    with log.open(encoding="utf-8") as lines:
        lines.seek(start)
        yield from (json.loads(line) for line in lines if line.endswith("\n"))


def requests_of(api: ApiServer, account: str) -> set[Request]:
    """What ``NAMESPACE:NAME`` asked for, allowed or not; discovery, which everybody may ask for, is left out."""
    user = f"system:serviceaccount:{account}"
    events = (each for each in recorded(log_of(api.directory.parent)) if each["user"]["username"] == user)
    return {request for each in events if "objectRef" in each for request in _requests(each)}


def _requests(event: dict[str, Any]) -> Iterator[Request]:
    place = event["objectRef"]
    resource = "/".join(filter(None, (place["resource"], place.get("subresource"))))
    asked = (place.get("namespace", ""), place.get("apiGroup", ""), resource, place.get("name", ""))
    yield Request(*asked, event["verb"])
    # to apply an object that does not exist needs the right to create it
    if event["verb"] == "patch" and event["responseStatus"]["code"] == CREATED:
        yield Request(*asked, "create")
