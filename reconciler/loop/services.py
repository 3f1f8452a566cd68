"""The few Services that a plan needs, read from the API server by name: watching all of a cluster's would cost more."""

import time
from collections.abc import Callable
from typing import Final

from reconciler.plan.services import ALLOWED, allowed_services
from reconciler.plan.settings import Service
from validators.cluster.api import ApiStatusError, Client, ClusterError
from validators.json_types import JsonObject

MAX_AGE: Final = 30.0
# There is no such Service, or we may not know: no route is made to it, and the plan says so.
_ABSENT: Final = frozenset((403, 404))


class ServiceReader:
    """Reads the allowed Services through ``client``, again when what is known is ``max_age`` seconds old."""

    def __init__(self, client: Client, max_age: float = MAX_AGE, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._max_age = max_age
        self._clock = clock
        self._known: tuple[Service, ...] | None = None
        self._read_at = 0.0

    def __call__(self) -> tuple[Service, ...]:
        """Return the Services; while the API server does not answer, those that were read last.

        Raises ClusterError when it has never answered: routes of an earlier process must not go for that.
        """
        if self._known is None or self._clock() - self._read_at >= self._max_age:
            try:
                self._known = allowed_services(obj for obj in map(self._get, ALLOWED) if obj is not None)
            except ClusterError:
                if self._known is None:
                    raise
            self._read_at = self._clock()
        return self._known

    def _get(self, key: tuple[str, str]) -> JsonObject | None:
        namespace, name = key
        try:
            return self._client.request("GET", f"/api/v1/namespaces/{namespace}/services/{name}")
        except ApiStatusError as error:
            if error.code in _ABSENT:
                return None
            raise ClusterError(f"cannot read Service {namespace}/{name}: {error}") from error
        except ClusterError as error:
            raise ClusterError(f"cannot read Service {namespace}/{name}: {error}") from error
