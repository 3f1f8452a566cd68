"""The interface of a Kubernetes client: paths, plain mappings, three kinds of failure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ovnguard.validators.base.json_types import JsonObject

JSON: Final = "application/json"
MERGE_PATCH: Final = "application/merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"
UNAUTHORIZED: Final = 401


class ClusterError(Exception):
    """The request did not reach the cluster, or the cluster did not answer."""


class ClusterConfigError(ClusterError):
    """There is no usable kubeconfig and no service account; a retry does not help."""


class ApiStatusError(ClusterError):
    """The API server refused the request; ``code`` is the HTTP status, ``reason`` its one-word form."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(f"{code} {reason}: {message}")
        self.code = code
        self.reason = reason
        self.message = message


class UnauthorizedError(ApiStatusError):
    """The API server refused the newest credentials, and has done so for ``seconds``."""

    def __init__(self, reason: str, message: str, seconds: float) -> None:
        super().__init__(UNAUTHORIZED, reason, message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How to reach the cluster: a kubeconfig and context, else $KUBECONFIG, ~/.kube/config, or the pod's service
    account.
    """

    kubeconfig: str | None = None
    context: str | None = None
    user_agent: str = "ovnguard"


class Watch(Protocol):
    """The events of one watch, until the server, a fault or `close` ends it."""

    def events(self) -> Iterator[JsonObject]:
        """Yield each event. Ends when the server ends the watch; raises ClusterError when the connection breaks."""

    def close(self) -> None:
        """End the watch, from any thread; a blocked reader wakes up."""


class Client(Protocol):
    """One cluster. Methods may be called from several threads."""

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: JsonObject | None = None,
        content_type: str = JSON,
    ) -> JsonObject:
        """Return the object in the API server's answer.

        Raises ApiStatusError when it refuses, ClusterError when it cannot be reached.
        """

    def watch(self, path: str, query: Mapping[str, str], idle_timeout: float) -> Watch:
        """Open a watch. Raises like `request`. The watch ends after ``idle_timeout`` seconds without a byte."""


class PodClient(Client, Protocol):
    """One cluster whose pods can be reached, too."""

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the pieces of an answer that is no object, such as a log. Raises like `request`."""

    def execute(self, path: str, container: str, command: Sequence[str]) -> Iterator[bytes]:
        """Yield what ``command`` prints in a container of the pod at ``path``. Raises like `request`.

        ClusterError also when the command fails, or when the connection ends before it.
        """
