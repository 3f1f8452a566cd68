"""The authority's Secret, and the ConfigMap with its public part: replicas agree on them through the API.

Every write names the resourceVersion that it is based on. A replica that loses the race reads the winner's result.
"""

import base64
import binascii
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Resource
from ovnguard.webhook.certificates.authority import Authority, decide, read
from ovnguard.webhook.certificates.registered_bundle import Registered, publish_bundle

log = logging.getLogger("ovnguard.authority")
SECRETS: Final = Resource("", "v1", "secrets", "Secret", namespaced=True)
ROUNDS: Final = 8
"""The number of lost races that counts as a fault; one replica wins each round."""
_CONFLICTS: Final = frozenset({404, 409})


@dataclass(frozen=True, slots=True)
class AuthorityPlacement:
    """The Secret of the authority, its Service, and the name of both registrations.

    The ConfigMap of the Secret's name has the public part.
    """

    secret: tuple[str, str]
    service: tuple[str, str]
    registrations: str = "ovnguard"

    @property
    def registered(self) -> Registered:
        """The registrations that must trust the authority."""
        return Registered(self.service, self.registrations)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the leaf: the Service's DNS name for the API server, and this machine's for probes."""
        namespace, name = self.service
        return (f"{name}.{namespace}.svc", "localhost", "127.0.0.1", "::1")


class Agreement:
    """The agreement, from one replica."""

    def __init__(self, client: Client, placement: AuthorityPlacement) -> None:
        self._client = client
        self._placement = placement
        self._path = SECRETS.object_path(*placement.secret)

    def settle(self, now: datetime) -> Authority:
        """Bring the Secret and the ConfigMap up to date, and return the authority to serve.

        Raises ClusterError when the API server cannot be reached or refuses.
        """
        for _ in range(ROUNDS):
            secret = self._secret()
            held = read(_data(secret)) if secret is not None else None
            published = held is not None and self._publish(held)
            wanted = decide(held, self._placement.names, now, published=published)
            if wanted is held:
                return wanted
            if self._write(secret, wanted):
                log.info("authority written", extra={"fields": {"trusted": len(wanted.trusted)}})
                self._publish(wanted)
                return wanted
        raise ClusterError(f"secret {'/'.join(self._placement.secret)}: written by others {ROUNDS} times in a row")

    def _secret(self) -> JsonObject | None:
        try:
            return self._client.request("GET", self._path)
        except ApiStatusError as error:
            if error.code == 404:
                return None
            raise

    def _write(self, secret: JsonObject | None, wanted: Authority) -> bool:
        """Write the Secret; return False when another replica was faster."""
        namespace, name = self._placement.secret
        data = {key: base64.b64encode(value).decode() for key, value in wanted.data().items()}
        try:
            if secret is None:
                fresh = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}}
                self._client.request("POST", SECRETS.in_namespace(namespace), body={**fresh, "data": data})
            else:
                # Replaced as a whole, so that no key of a previous authority stays; with the resourceVersion that was
                # read.
                self._client.request("PUT", self._path, body={**secret, "data": data})
        except ApiStatusError as error:
            if error.code in _CONFLICTS and not (secret is None and error.code == 404):
                return False
            raise
        return True

    def _publish(self, held: Authority) -> bool:
        """Write the public part; return whether each existing registration has it. Another account writes them."""
        try:
            publish_bundle(self._client, self._placement.secret, held.bundle, held.leaf.certificate_pem)
            return self._placement.registered.trusted(self._client, held.bundle)
        except ApiStatusError as error:
            log.error("the authority is not known to be published: %s", error)
            return False


def _data(secret: JsonObject) -> dict[str, bytes]:
    """The values of a Secret; values that are not base64 are ignored."""
    found = {}
    for key, value in (secret.get("data") or {}).items():
        try:
            found[key] = base64.b64decode(value, validate=True)
        except (binascii.Error, TypeError, ValueError):
            continue
    return found
