"""A compiled definition as bytes and back, without pickle: code objects and plain data, as `marshal` writes them.

Read artefacts only from places that only the owner can write to (`validators.fast.disk_store`), because they contain
code.
"""

import json
import marshal
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any, Final, NamedTuple

from ovnguard.validators.fast.accept_path import Plan, Resource
from ovnguard.validators.fast.generated_module import Module
from ovnguard.validators.structural.objects.scale_subresource import Scale

try:
    # The function behind hashlib's, without the milliseconds for loading OpenSSL.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_FORMAT: Final = 6
_PARTS: Final = (
    "base",
    "cel",
    "cel/checking",
    "cel/codegen",
    "cel/cost",
    "cel/evaluation",
    "cel/library",
    "cel/syntax",
    "cel/types",
    "cel/values",
    "crd",
    "fast",
    "go",
    "structural",
    "structural/definitions",
    "structural/formats",
    "structural/metadata",
    "structural/objects",
    "structural/schema",
)
_DIGEST: Final = 32


class Artefact(NamedTuple):
    """The stored parts of a compiled version: ``names`` are group, version, kind and plural."""

    names: tuple[str, str, str, str]
    deprecation: tuple[str, ...]
    plan: Plan
    resource: Resource
    source: bytes
    """The definition in the form of `packed`. Accepting objects does not need it."""
    rules: bytes
    """The compiled rules in the form of `validators.crd.restore`; b"" if they need the compiler."""

    @property
    def definition(self) -> dict[str, Any]:
        """The whole definition, from which all else can be compiled again without checks."""
        definition: dict[str, Any] = marshal.loads(self.source)  # noqa: S302 - see above
        return definition


def packed(definition: dict[str, Any]) -> bytes:
    """A definition in the form that an artefact stores. Raises ValueError for one that contains more than data."""
    return marshal.dumps(definition)


@cache
def engine() -> str:
    """Return a digest that changes with this program and interpreter, and so with the generated code.

    Sources count by name, size and modification times, as in Python's own check for stale bytecode.
    """
    seen = blake2b(
        MAGIC_NUMBER + f"{_FORMAT} {sys.version} {sys.implementation.cache_tag}".encode(), digest_size=_DIGEST
    )
    for line in sorted(_sources()):
        seen.update(line.encode())
    return seen.hexdigest()


def _sources() -> Iterator[str]:
    root = Path(__file__).resolve().parent.parent
    for part in _PARTS:
        with os.scandir(root / part) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".lark", ".json")):
                    found = entry.stat()
                    yield f"{part}/{entry.name} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}\n"


def key_of(definition: Mapping[str, Any], version: str | None, kubernetes: str) -> str:
    """The key of a definition's artefact. Raises TypeError and ValueError for one that is not JSON."""
    content = json.dumps(definition, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return key_of_text(content.encode(errors="surrogatepass"), version, kubernetes)


def key_of_text(text: bytes, version: str | None, kubernetes: str) -> str:
    """The key of the artefact of a definition that was read from a text."""
    seen = blake2b(f"{engine()} {version!r} {kubernetes!r} ".encode(), digest_size=_DIGEST)
    seen.update(text)
    return seen.hexdigest()


def pack(artefact: Artefact) -> bytes:
    """The artefact as bytes. Raises ValueError for one that contains more than data."""
    plan, module, resource = artefact.plan, artefact.plan.module, artefact.resource
    flags = (plan.values, plan.rules, plan.defaults, plan.drops_status, plan.typed)
    at = resource.scale
    scale = None if at is None else (at.spec_replicas, at.status_replicas, at.label_selector)
    about = (resource.kind, resource.api_version, resource.namespaced, resource.has_status, scale)
    payload = marshal.dumps(
        (artefact.names, artefact.deprecation, module.parts, flags, about, artefact.source, artefact.rules)
    )
    return blake2b(payload, digest_size=_DIGEST).digest() + payload


def unpack(data: bytes) -> Artefact | None:
    """The artefact of `pack`; None for damaged data."""
    digest, payload = data[:_DIGEST], data[_DIGEST:]
    if blake2b(payload, digest_size=_DIGEST).digest() != digest:
        return None
    try:
        names, deprecation, code, flags, about, source, rules = marshal.loads(payload)  # noqa: S302 - see above
        module = Module(*code)
        kind, api_version, namespaced, has_status, scale = about
        made = None if scale is None else Scale(*scale)
        resource = Resource(kind, api_version, namespaced, has_status, made)
        return Artefact(names, deprecation, Plan(module, *flags), resource, source, rules)
    except (EOFError, ValueError, TypeError):
        return None
