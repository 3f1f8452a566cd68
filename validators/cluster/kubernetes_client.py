"""The Kubernetes client, with paths and plain mappings. It and `pod_exec` alone import the ``kubernetes`` package.

That package handles kubeconfig, exec plugins, token refresh and TLS settings. Requests go directly through the
connection pool that it sets up: its generated models cost time and memory, and drop fields that they do not know.

A token may be replaced before it expires. A request that the API server does not authenticate (401) therefore reads the
credentials again, and is repeated once if they are newer.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import urllib3
import yaml
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException, load_incluster_config, load_kube_config
from kubernetes.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.answers import innermost, json_object, read_answer, status_error
from ovnguard.validators.cluster.client_protocol import (
    JSON,
    UNAUTHORIZED,
    ApiStatusError,
    ClusterConfigError,
    ClusterError,
    ClusterOptions,
    UnauthorizedError,
)
from ovnguard.validators.cluster.pod_exec import execute

REQUEST_TIMEOUT: Final = 15.0
MAX_EVENT_BYTES: Final = 32 * 1024 * 1024
NO_ANSWER: Final = "<error>"
# What the library raises for a kubeconfig that it does not understand, besides its own exception.
_UNREADABLE: Final = (OSError, yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError)


class KubernetesClient:
    """One cluster. Methods may be called from several threads."""

    def __init__(self, api: Any, reload: Callable[[], None], monotonic: Callable[[], float]) -> None:
        """``reload`` reads the credentials again; it leaves them as they are when that is not possible."""
        self._api = api
        self._reload = reload
        self._monotonic = monotonic
        self._auth_lock = threading.Lock()
        # The credentials that the API server last refused, and since when.
        self._refused: tuple[Mapping[str, str], float] | None = None
        self._count_lock = threading.Lock()
        self._answers: Counter[tuple[str, str]] = Counter()

    @property
    def server(self) -> str:
        """The URL of the API server, for messages."""
        return str(self._api.configuration.host)

    def answers(self) -> Counter[tuple[str, str]]:
        """Return how many requests were sent, by method and status code of the answer; `NO_ANSWER` is one without."""
        with self._count_lock:
            return self._answers.copy()

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
        response = self._open(method, path, query, body, content_type, REQUEST_TIMEOUT)
        try:
            data = read_answer(response, self.server)
        finally:
            response.release_conn()
        if not 200 <= response.status <= 299:
            raise self._error(response.status, data)
        return json_object(data, self.server)

    def watch(self, path: str, query: Mapping[str, str], idle_timeout: float) -> "KubernetesWatch":
        """Open a watch. Raises like `request`; The watch ends after ``idle_timeout`` seconds without a byte."""
        response = self._open("GET", path, {**query, "watch": "true"}, None, JSON, idle_timeout)
        if response.status != 200:
            try:
                raise self._error(response.status, read_answer(response, self.server))
            finally:
                response.release_conn()
        return KubernetesWatch(response, self.server)

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the pieces of an answer that is no object, such as a log. Raises like `request`."""
        response = self._open("GET", path, query, None, JSON, REQUEST_TIMEOUT)
        try:
            if response.status != 200:
                raise self._error(response.status, read_answer(response, self.server))
            while piece := response.read1(1 << 16):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ClusterError(f"{self.server}: {innermost(error)}") from error
        finally:
            response.close()

    def execute(self, path: str, container: str, command: Sequence[str]) -> Iterator[bytes]:
        """Yield what ``command`` prints in a container of the pod at ``path``. Raises like `request`.

        ClusterError also when the command fails, or when the connection ends before it.
        """
        with self._auth_lock:
            headers = self._authenticated()
        yield from execute(self._api.configuration, headers, self.server + path, container, command)

    def close(self) -> None:
        """Close idle connections."""
        self._api.rest_client.pool_manager.clear()

    def _open(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: JsonObject | None,
        content_type: str,
        read_timeout: float,
    ) -> Any:
        data = None if body is None else json.dumps(body).encode()
        more = {} if body is None else {"Content-Type": content_type}
        url = self.server + path + (f"?{urlencode(query)}" if query else "")
        with self._auth_lock:
            headers = self._authenticated()
        response = self._send(method, url, data, {**headers, **more}, read_timeout)
        if response.status == UNAUTHORIZED and (newer := self._newer(headers)) is not None:
            response.drain_conn()
            response.release_conn()
            headers = newer
            response = self._send(method, url, data, {**headers, **more}, read_timeout)
        with self._auth_lock:
            if response.status != UNAUTHORIZED:
                self._refused = None
            elif self._refused is None or self._refused[0] != headers:
                self._refused = headers, self._monotonic()
        return response

    def _authenticated(self) -> Mapping[str, str]:
        """The headers with the known credentials. The library reloads expiring tokens, which is not thread-safe."""
        headers = {"Accept": JSON, "User-Agent": self._api.user_agent}
        self._api.update_params_for_auth(headers, [], ["BearerToken"])
        return headers

    def _newer(self, used: Mapping[str, str]) -> Mapping[str, str] | None:
        """The headers with newer credentials than those of ``used``, None when there are none."""
        with self._auth_lock:
            headers = self._authenticated()
            if headers == used:
                self._reload()
                headers = self._authenticated()
        return None if headers == used else headers

    def _send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str], read_timeout: float) -> Any:
        code = NO_ANSWER
        try:
            response = self._api.rest_client.pool_manager.request(
                method,
                url,
                body=data,
                headers=headers,
                preload_content=False,
                redirect=False,
                retries=False,
                timeout=urllib3.Timeout(connect=REQUEST_TIMEOUT, read=read_timeout),
            )
        except urllib3.exceptions.HTTPError as error:
            raise ClusterError(f"{self.server}: {innermost(error)}") from error
        except OSError as error:
            raise ClusterError(f"{self.server}: {error.strerror or error}") from error
        else:
            code = str(response.status)
            return response
        finally:
            with self._count_lock:
                self._answers[method, code] += 1

    def _error(self, code: int, data: bytes) -> ApiStatusError:
        error = status_error(code, data)
        if code != UNAUTHORIZED:
            return error
        with self._auth_lock:
            since = self._monotonic() if self._refused is None else self._refused[1]
            return UnauthorizedError(error.reason, error.message, self._monotonic() - since)


class KubernetesWatch:
    """The events of one watch, until the server, a fault or `close` ends it."""

    def __init__(self, response: Any, server: str) -> None:
        self._response = response
        self._server = server
        self._closed = False

    def events(self) -> Iterator[JsonObject]:
        """Yield each event. Ends when the server ends the watch; raises ClusterError when the connection breaks."""
        buffer = bytearray()
        try:
            while not self._closed and (chunk := self._response.read1(1 << 16)):
                buffer += chunk
                *lines, rest = buffer.split(b"\n")
                for line in lines:
                    if line.strip():
                        yield json_object(bytes(line), self._server)
                buffer = rest
                if len(buffer) > MAX_EVENT_BYTES:
                    raise ClusterError(f"{self._server}: an event is larger than {MAX_EVENT_BYTES >> 20} MiB")
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            if not self._closed:
                raise ClusterError(f"{self._server}: {innermost(error)}") from error
        finally:
            self._response.close()

    def close(self) -> None:
        """End the watch, from any thread; a blocked reader wakes up."""
        self._closed = True
        try:
            self._response.shutdown()
        except (OSError, ValueError, RuntimeError):
            # The watch has already ended.
            return


def connect(options: ClusterOptions, monotonic: Callable[[], float] = time.monotonic) -> KubernetesClient:
    """Return a client without connecting. Raises ClusterConfigError when no setting locates the cluster."""
    configuration = Configuration()
    # One connection per watch and some for requests: urllib3 discards connections beyond the pool's size after use.
    configuration.connection_pool_maxsize = 64
    try:
        _load(options, configuration)
    except ConfigException as error:
        where = options.kubeconfig or "no kubeconfig and no service account"
        raise ClusterConfigError(f"{where}: {error}; name one with --kubeconfig") from error
    except _UNREADABLE as error:
        raise ClusterConfigError(
            f"{options.kubeconfig or 'kubeconfig'}: cannot be used: {' '.join(str(error).split())}"
        ) from error
    api = ApiClient(configuration)
    api.user_agent = options.user_agent
    return KubernetesClient(api, partial(_load_again, options, configuration), monotonic)


def _load(options: ClusterOptions, configuration: Any) -> None:
    """Read the kubeconfig, or the token of the pod's service account, into ``configuration``."""
    if options.kubeconfig is None and options.context is None and not _exists(KUBE_CONFIG_DEFAULT_LOCATION):
        load_incluster_config(client_configuration=configuration)
    else:
        load_kube_config(options.kubeconfig, options.context, configuration, persist_config=False)


def _load_again(options: ClusterOptions, configuration: Any) -> None:
    with suppress(ConfigException, *_UNREADABLE):
        _load(options, configuration)


def _exists(locations: str) -> bool:
    return any(Path(place).expanduser().exists() for place in locations.split(":") if place)
