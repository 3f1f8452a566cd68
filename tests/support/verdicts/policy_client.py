"""A persistent connection to an API server for requests about admission policies."""

import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from tests.testbed.apiserver import ApiServer

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"

POLICIES = f"{REGISTRATION}/validatingadmissionpolicies"

BINDINGS = f"{REGISTRATION}/validatingadmissionpolicybindings"


class Client:
    """One kept connection as the administrator of the kubeconfig; answers come with their warnings."""

    def __init__(self, server: ApiServer) -> None:
        config = json.loads(server.kubeconfig.read_text(encoding="utf-8"))
        user = config["users"][0]["user"]
        tls = ssl.create_default_context(cafile=str(server.ca_file))
        tls.load_cert_chain(user["client-certificate"], user["client-key"])
        parsed = urlsplit(server.url)
        self._connection = http.client.HTTPSConnection(parsed.hostname or "", parsed.port, timeout=120, context=tls)

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any], list[str]]:
        """Status, decoded answer and warnings."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        warnings = [json.loads(header.split(" ", 2)[2]) for header in answer.headers.get_all("Warning") or ()]
        return answer.status, json.loads(text), warnings

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
