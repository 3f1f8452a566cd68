"""The ``caBundle`` of both registrations, taken from the ConfigMap with the public part of the authority.

An account of its own writes it, which can do nothing else; the replicas of the webhook only read whether it is done.
"""

import base64
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, Client
from ovnguard.validators.cluster.resources import Resource

log = logging.getLogger("ovnguard.authority")
CONFIG_MAPS: Final = Resource("", "v1", "configmaps", "ConfigMap", namespaced=True)
BUNDLE: Final = "ca.crt"
SERVED: Final = "tls.crt"
"""The served certificate, which every client of the webhook sees, for people who ask when it ends."""
_GROUP: Final = "admissionregistration.k8s.io"
REGISTRATIONS: Final = (
    Resource(_GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
    Resource(_GROUP, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
)


@dataclass(frozen=True, slots=True)
class Registered:
    """The webhooks of ``service`` in both configurations of the name ``registrations``."""

    service: tuple[str, str]
    registrations: str = "ovnguard"

    def trusted(self, client: Client, bundle: bytes) -> bool:
        """Whether each existing registration has the bundle. Raises ClusterError."""
        return all(self._pending(client, resource, bundle) is None for resource in REGISTRATIONS)

    def write(self, client: Client, bundle: bytes) -> None:
        """Write the bundle into each existing registration. Raises ClusterError."""
        for resource in REGISTRATIONS:
            change = self._pending(client, resource, bundle)
            if change is not None:
                path = resource.object_path("", self.registrations)
                client.request("PATCH", path, body=change, content_type=MERGE_PATCH)
                log.info("registration updated", extra={"fields": {"registration": resource.plural}})

    def _pending(self, client: Client, resource: Resource, bundle: bytes) -> JsonObject | None:
        """The change that one registration needs; a missing one needs none."""
        try:
            found = client.request("GET", resource.object_path("", self.registrations))
        except ApiStatusError as error:
            if error.code == 404:
                return None
            raise
        text = base64.b64encode(bundle).decode()
        before = found.get("webhooks") or []
        webhooks = [_with_bundle(each, self.service, text) for each in before]
        if webhooks == before:
            return None
        return {"metadata": {"resourceVersion": found["metadata"]["resourceVersion"]}, "webhooks": webhooks}


def published_bundle(client: Client, place: tuple[str, str]) -> bytes | None:
    """Return the bundle in the ConfigMap, or None when there is none. Raises ClusterError."""
    return _bundle_in(_config_map(client, place) or {})


def publish_bundle(client: Client, place: tuple[str, str], bundle: bytes, served: bytes) -> None:
    """Write the bundle and the served certificate into the ConfigMap, which may be missing. Raises ClusterError."""
    found, (namespace, name) = _config_map(client, place), place
    data = {BUNDLE: bundle.decode(), SERVED: served.decode()}
    if found is None:
        metadata = {"name": name, "namespace": namespace}
        fresh = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        client.request("POST", CONFIG_MAPS.in_namespace(namespace), body=fresh)
    elif {**(found.get("data") or {}), **data} != found.get("data"):
        metadata = {"resourceVersion": found["metadata"]["resourceVersion"]}
        change = {"metadata": metadata, "data": data}
        client.request("PATCH", CONFIG_MAPS.object_path(*place), body=change, content_type=MERGE_PATCH)


def _config_map(client: Client, place: tuple[str, str]) -> JsonObject | None:
    try:
        return client.request("GET", CONFIG_MAPS.object_path(*place))
    except ApiStatusError as error:
        if error.code == 404:
            return None
        raise


def _bundle_in(config_map: JsonObject) -> bytes | None:
    text = (config_map.get("data") or {}).get(BUNDLE)
    return text.encode() if isinstance(text, str) and text else None


def _with_bundle(webhook: JsonObject, service: Sequence[str], bundle: str) -> JsonObject:
    """Return the webhook with the bundle if it is ovnguard's: a registration may contain webhooks of others."""
    config = webhook.get("clientConfig") or {}
    named = config.get("service") or {}
    if (named.get("namespace"), named.get("name")) != tuple(service) or config.get("caBundle") == bundle:
        return webhook
    return {**webhook, "clientConfig": {**config, "caBundle": bundle}}
