"""Requests about admission policies, and the warnings in their answers."""

import json
from typing import Any, NamedTuple

from tests.testbed.apiserver import ApiServer

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"

POLICIES = f"{REGISTRATION}/validatingadmissionpolicies"

BINDINGS = f"{REGISTRATION}/validatingadmissionpolicybindings"


class Client(NamedTuple):
    """The administrator; answers come with their warnings."""

    server: ApiServer

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any], list[str]]:
        """Status, decoded answer and warnings."""
        sent = None if body is None else json.dumps(body)
        answer, text = self.server.ask(method, path, sent, {"Content-Type": "application/json"})
        warnings = [json.loads(header.split(" ", 2)[2]) for header in answer.headers.get_all("Warning") or ()]
        return answer.status, json.loads(text), warnings
