"""The authority's Secret and the ``caBundle`` of both registrations: replicas agree on them through the API.

Every write names the resourceVersion that it is based on. A replica that loses the race reads the winner's result.
"""

import base64
import binascii
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, Client, ClusterError
from validators.cluster.resources import Resource
from webhook.certificates.authority import Authority, decide, read

log = logging.getLogger("ovnguard.authority")
SECRETS: Final = Resource("", "v1", "secrets", "Secret", namespaced=True)
_GROUP: Final = "admissionregistration.k8s.io"
REGISTRATIONS: Final = (
    Resource(_GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
    Resource(_GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
)
ROUNDS: Final = 8
"""The number of lost races that counts as a fault; one replica wins each round."""
_CONFLICTS: Final = frozenset({404, 409})


@dataclass(frozen=True, slots=True)
class AuthorityPlacement:
    """The Secret of the authority, its Service, and the name of both registrations."""

    secret: tuple[str, str]
    service: tuple[str, str]
    registrations: str = "ovnguard"

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
        """Bring the Secret and both registrations up to date, and return the authority to serve.

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
        """Write the bundle into both registrations; return whether each existing one has it now."""
        bundle = base64.b64encode(held.bundle).decode()
        published = [self._published(resource, bundle) for resource in REGISTRATIONS]
        return all(published)

    def _published(self, resource: Resource, bundle: str) -> bool:
        path = resource.object_path("", self._placement.registrations)
        try:
            found = self._client.request("GET", path)
            webhooks = [_with_bundle(each, self._placement.service, bundle) for each in found.get("webhooks") or ()]
            if webhooks == (found.get("webhooks") or []):
                return True
            metadata = {"resourceVersion": found["metadata"]["resourceVersion"]}
            change = {"metadata": metadata, "webhooks": webhooks}
            self._client.request("PATCH", path, body=change, content_type=MERGE_PATCH)
        except ApiStatusError as error:
            # A missing registration needs no bundle; a registration that another client changes concurrently gets it in
            # the next round.
            return error.code == 404 or (error.code != 409 and _failed(resource, error))
        log.info("registration updated", extra={"fields": {"registration": resource.plural}})
        return True


def _with_bundle(webhook: JsonObject, service: Sequence[str], bundle: str) -> JsonObject:
    """Return the webhook with the bundle if it is ovnguard's: a registration may contain webhooks of others."""
    config = webhook.get("clientConfig") or {}
    named = config.get("service") or {}
    if (named.get("namespace"), named.get("name")) != tuple(service) or config.get("caBundle") == bundle:
        return webhook
    return {**webhook, "clientConfig": {**config, "caBundle": bundle}}


def _failed(resource: Resource, error: ApiStatusError) -> bool:
    log.error("%s: the caBundle cannot be written: %s", resource.plural, error)
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
