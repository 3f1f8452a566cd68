"""Lists the objects of a cluster for a bundle, page by page, with the fields that it keeps."""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.apply.bundle.bundled_kinds import Bundled
from ovnguard.reconciler.plan.bundle.kept_fields import kept_fields
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client
from ovnguard.validators.cluster.resources import Part
from ovnguard.validators.network.parse_values import dig, text_of

_GONE: Final = 410
_NOT_FOUND: Final = 404
_ATTEMPTS: Final = 3


def pages(client: Client, bundled: Bundled) -> Iterator[list[JsonObject]]:
    """Yield the kept objects of a resource, none where the cluster does not serve it.

    A list that takes longer than the API server keeps its version begins again, so an object may come twice. Raises
    ApiStatusError and ClusterError.
    """
    for part in bundled.parts:
        for attempt in range(_ATTEMPTS):
            try:
                yield from _pages(client, bundled, part)
            except ApiStatusError as error:
                if error.code == _NOT_FOUND:
                    return
                if error.code != _GONE or attempt == _ATTEMPTS - 1:
                    raise
            else:
                break


def _pages(client: Client, bundled: Bundled, part: Part) -> Iterator[list[JsonObject]]:
    resource = bundled.resource
    first = {**part.query, "limit": str(part.page)}
    query = first
    while True:
        page = client.request("GET", part.path(resource), query)
        # the items of a list do not say their kind
        found = (
            {**each, "apiVersion": resource.api_version, "kind": resource.kind} for each in page.get("items") or ()
        )
        yield [kept_fields(bundled.kind, each) for each in found if bundled.accepts(each)]
        token = text_of(dig(page, "metadata", "continue"))
        if not token:
            return
        query = {**first, "continue": token}
