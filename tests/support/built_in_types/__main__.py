"""Writes the types of built-in kinds: `python -m tests.support.built_in_types`, with `go` and its module proxy.

The structure is that of the OpenAPI v3 documents of each release, which name structs, fields, formats and kinds. What
they lack is the name of a Go type in an error (``v1.Protocol`` for a string): that comes from the source of the types.
"""

import json
import lzma
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ovnguard.crd_schemas import BUILT_IN_TYPES
from ovnguard.validators.built_in.type_names import shown_name
from tests.support.built_in_types.go_types import GoTypes
from tests.support.built_in_types.modules import DOCUMENTS, RELEASES, TYPES, downloaded

Json = dict[str, Any]
_REF: Final = "#/components/schemas/"
_GROUPED: Final = "x-kubernetes-group-version-kind"
_SCALARS: Final[Mapping[tuple[str | None, str | None], str]] = {
    ("string", None): "string",
    ("string", "byte"): "bytes",
    ("boolean", None): "bool",
    ("integer", "int32"): "int32",
    ("integer", "int64"): "int64",
    ("number", "double"): "float64",
}
_SPECIAL: Final = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "any",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "microtime",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "any",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    **{
        f"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON{name}": "json"
        for name in ("", "SchemaPropsOrArray", "SchemaPropsOrBool", "SchemaPropsOrStringArray")
    },
}
"""The types that decode themselves."""
_ELEMENTS: Final = ("[]", "{}")


def main() -> None:
    """Write the file."""
    modules = [f"{DOCUMENTS}@v1.{version}" for version in RELEASES.values()]
    modules += [f"{module}@v0.{version}" for version in RELEASES.values() for module in TYPES]
    folders = downloaded(modules)
    structs: dict[str, list[Json]] = {}
    kinds: dict[str, Json] = {}
    for minor, version in RELEASES.items():
        go = GoTypes((module, folders[f"{module}@v0.{version}"]) for module in TYPES)
        release = Release(folders[f"{DOCUMENTS}@v1.{version}"], go)
        for kind, struct, resource in release.kinds():
            known = kinds.setdefault(kind, {"struct": struct, "resource": resource, "releases": []})
            known["releases"].append(minor)
        for name, fields in release.structs(each["struct"] for each in kinds.values() if minor in each["releases"]):
            variants = structs.setdefault(name, [])
            if not variants or variants[-1]["fields"] != fields:
                variants.append({"since": minor, "fields": fields})
        print(f"1.{version}: {len(release.schemas)} schemas", file=sys.stderr)
    text = json.dumps({"kinds": kinds, "structs": structs}, separators=(",", ":"), sort_keys=True).encode()
    BUILT_IN_TYPES.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(kinds)} kinds, {len(structs)} structs, {len(text):,} bytes", file=sys.stderr)


class Release:
    """The OpenAPI v3 documents of one release, and its Go types."""

    def __init__(self, module: Path, go: GoTypes) -> None:
        self._go = go
        documents = [json.loads(file.read_bytes()) for file in sorted((module / "api/openapi-spec/v3").glob("*.json"))]
        self.schemas: dict[str, Json] = {}
        self._paths: list[tuple[str, Json]] = []
        for document in documents:
            self.schemas |= document.get("components", {}).get("schemas", {})
            self._paths += document.get("paths", {}).items()

    def kinds(self) -> Iterator[tuple[str, str, str]]:
        """Iterate over the kinds whose objects can be created: ``apiVersion/kind``, its struct, its resource."""
        names = {
            _kind_of(each): name
            for name, schema in self.schemas.items()
            if len(schema.get(_GROUPED, ())) == 1
            for each in schema[_GROUPED]
        }
        created = {
            _kind_of(item["post"][_GROUPED]): path.rpartition("/")[2]
            for path, item in self._paths
            if _creates(path, item)
        }
        yield from sorted((kind, names[kind], resource) for kind, resource in created.items())

    def structs(self, roots: Iterator[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Iterate over the structs that some structs reach, each with its fields: ``*`` marks a required one."""
        left, seen = [*roots], set[str]()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            schema = self.schemas[name]
            fields = {key: self._type(each) for key, each in schema.get("properties", {}).items()}
            left += (found for text in fields.values() for found in re.findall(r"@([\w.-]+)", text))
            yield name, self._named(name, fields, schema.get("required", ()))

    def _type(self, schema: Json) -> str:
        """A type: a scalar, ``[]`` or ``{}`` with the type of the elements, or ``@`` with a struct."""
        for part in schema.get("allOf", ()):
            return self._type(part)
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REF)
            return _SPECIAL.get(name) or f"@{name}"
        if schema.get("type") == "array":
            return "[]" + self._type(schema["items"])
        if schema.get("type") == "object":
            return "{}" + self._type(schema["additionalProperties"])
        return _SCALARS[schema.get("type"), schema.get("format")]

    def _named(self, struct: str, fields: Mapping[str, str], required: Sequence[str]) -> Mapping[str, str]:
        """Add ``name=`` to the types that Go prints otherwise than OpenAPI suggests, and ``*`` to required fields.

        A field of an embedded struct gets the name of that struct: it is a part of the path in errors.
        """
        go = {path.rpartition(".")[2]: (path, text) for path, text in self._go.fields(_go_path(struct))}
        assert go.keys() == fields.keys(), f"{struct}: {go.keys() ^ fields.keys()}"
        return {
            go[key][0]: ("*" if key in required else "") + self._with_names(text, go[key][1])
            for key, text in fields.items()
        }

    def _with_names(self, text: str, go: str) -> str:
        inner = go
        while inner in self._go.named:
            inner = self._go.named[inner]
        if text[:2] in _ELEMENTS:
            text = text[:2] + self._with_names(text[2:], inner[inner.index("]") + 1 :])
        shown = re.sub(r"[\w.-]+/(?:[\w.-]+/)*", "", go).replace("[]byte", "[]uint8")
        return text if shown == shown_name(text) else f"{shown}={text}"


def _go_path(schema: str) -> str:
    """The Go name of a struct: io.k8s.api.core.v1.Pod is k8s.io/api/core/v1.Pod."""
    package, _, name = schema.removeprefix("io.k8s.").rpartition(".")
    return f"k8s.io/{package.replace('.', '/')}.{name}"


def _kind_of(grouped: Mapping[str, str]) -> str:
    return "/".join(filter(None, (grouped["group"], grouped["version"], grouped["kind"])))


def _creates(path: str, item: Json) -> bool:
    """Whether a POST to a path creates an object: to that of a list, not of a subresource."""
    return _GROUPED in item.get("post", {}) and "{name}" not in path


if __name__ == "__main__":
    main()
