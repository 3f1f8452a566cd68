"""A CustomResourceDefinition as the API server holds it: decoded, completed, with what all versions share on top.

Source: apiextensions.k8s.io/v1, defaults.go and conversion.go.
"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.go.json_decode import decode
from ovnguard.validators.structural.definitions.older_definitions import without_disabled, without_unknown
from ovnguard.validators.structural.metadata.objectmeta import BadMetadata
from ovnguard.validators.structural.metadata.objectmeta import decode as decode_meta
from ovnguard.validators.structural.schema.definition_types import DEFINITION, VERSION

Json = Mapping[str, Any]
# The keys of a version whose value moves to the top if all versions have the same one.
_SHARED: Final = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


class Definition:
    """A definition with the defaults that a POST to a release fills in. Raises `Undecodable` if it does not decode.

    ``used`` are fields of disabled features that the stored definition has already.
    ``versions`` are as the API server stores them internally: without the parts that all of them share, which are in
    ``top``. ``written`` are the complete versions.
    """

    def __init__(self, source: Any, release: int, used: frozenset[str] = frozenset()) -> None:
        self.source: Json = decode(DEFINITION, without_unknown(source, release))
        self.meta = _meta(self.source.get("metadata", {}))
        spec: Json = self.source.get("spec", {})
        self.group: str = spec.get("group", "")
        self.scope: str = spec.get("scope", "")
        self.preserves: bool = spec.get("preserveUnknownFields", False)
        self.has_version_list = "versions" in spec
        self.written: list[Json] = without_disabled(spec.get("versions", []), release, used)
        names: Json = spec.get("names", {})
        self.names = {key: str(names.get(key, "")) for key in ("plural", "singular", "kind", "listKind")}
        self.names["singular"] = self.names["singular"] or self.names["kind"].lower()
        if self.names["kind"] and not self.names["listKind"]:
            self.names["listKind"] = self.names["kind"] + "List"
        self.short_names: list[str] = names.get("shortNames", [])
        self.categories: list[str] = names.get("categories", [])
        self.conversion: Json = spec.get("conversion", {"strategy": "None"})
        self.top: Json = {key: self.written[0].get(key) for key in _SHARED if self._is_shared(key)}
        self.versions: list[Json] = [
            {key: value for key, value in version.items() if key not in self.top} for version in self.written
        ]

    def _is_shared(self, key: str) -> bool:
        first = self.written[0].get(key) if self.written else None
        return bool(self.written) and all(VERSION.by_key[key].kind.same(one.get(key), first) for one in self.written)

    def subresources_of(self, version: Json) -> Json:
        """Return the subresources that count for the schema of a version: those of the first one of its name."""
        if all(one.get("subresources") is None for one in self.versions):
            return self.top.get("subresources") or {}
        name = version.get("name")
        return next(one for one in self.versions if one.get("name") == name).get("subresources") or {}

    def shared_or_own(self, key: str, name: str) -> Any:
        """Return what the first version of a name has, or what all versions share. Raises KeyError for no version."""
        if all(one.get(key) is None for one in self.versions):
            return self.top.get(key)
        for one in self.versions:
            if one.get("name", "") == name:
                return one.get(key)
        raise KeyError(name)

    @property
    def conversion_bundle(self) -> bytes:
        """The certificates of the webhook of the conversion."""
        client = self.conversion.get("webhook", {}).get("clientConfig") or {}
        bundle = client.get("caBundle", "")
        return bytes(bundle) if isinstance(bundle, list) else b64decode(bundle)

    def has_any_status(self) -> bool:
        """Return whether the status subresource of any version is on."""
        return any((one.get("subresources") or {}).get("status") is not None for one in (self.top, *self.versions))


def _meta(decoded: Json) -> Json:
    """Return the metadata as the API server completes it: without a namespace, as the first generation."""
    try:
        meta, _ = decode_meta(dict(decoded))
    except BadMetadata as fault:
        raise AssertionError(f"metadata decoded before: {fault}") from None
    meta.pop("namespace", None)
    return {**meta, "generation": 1}
