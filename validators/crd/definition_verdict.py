"""The API server's answer to a CustomResourceDefinition itself: to its creation, or to an update of a stored one.

Source: apiextensions-apiserver, ``pkg/registry/customresourcedefinition/strategy.go``; apiserver, ``pkg/registry/rest``
(BeforeUpdate).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ROOT, ErrorType, FieldError, minor
from ovnguard.validators.base.object_names import path_segment
from ovnguard.validators.crd.compiled_crd import InvalidCRD, as_definition
from ovnguard.validators.crd.compiler import Compiler, Flawed, check_type_meta
from ovnguard.validators.go.json_decode import Undecodable
from ovnguard.validators.go.text import quote
from ovnguard.validators.structural.definitions.definition_check import check_accepted_names, check_changes, check_rest
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.definitions.structural_check import every_node
from ovnguard.validators.structural.definitions.unknown_fields import unknown_fields
from ovnguard.validators.structural.formats import number_ranges
from ovnguard.validators.structural.formats.release_formats import formats_of
from ovnguard.validators.structural.metadata import metadata_check as metadata
from ovnguard.validators.structural.objects.address import address_update
from ovnguard.validators.structural.objects.prepare import Kind, Refused, prepare_update, strict_decoding_errors
from ovnguard.validators.structural.schema.definition_types import DEFINITION
from ovnguard.validators.structural.schema.schema import MalformedSchema, Schema

_KIND: Final = Kind(
    "apiextensions.k8s.io",
    "v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
    schema=Schema(""),
    embeds=False,
)
_SPEC: Final = DEFINITION.by_key["spec"].kind
_FORMAT_WARNINGS_SINCE: Final = 34
_SET_WARNINGS_SINCE: Final = 37


class DefinitionVerdict(NamedTuple):
    """The errors and warnings in the server's order, and the unknown fields.

    Strict field validation refuses a definition for these alone. ``ignored_old`` says why the old definition does not
    count.
    """

    errors: tuple[FieldError, ...]
    warnings: tuple[str, ...] = ()
    unknown: tuple[FieldError, ...] = ()
    ignored_old: str = ""


def judge_definition(source: Any, old: Any = None, kubernetes: str = DEFAULT_KUBERNETES) -> DefinitionVerdict:
    """Return the answer of a release to the creation of a definition, or to an update of ``old``.

    An old definition that no server of this API can have stored does not count. Never raises for a definition.
    """
    stored, ignored = None, ""
    try:
        stored = None if old is None else _stored(old, minor(kubernetes))
    except (Flawed, InvalidCRD) as flaws:
        ignored = flaws.errors[0].detail
    except (MalformedSchema, Undecodable) as fault:
        ignored = str(fault)
    try:
        definition = as_definition(source)
        compiler = Compiler(definition, kubernetes, old=stored)
        errors = compiler.check() if stored is None else _check_update(compiler, stored)
    except (Flawed, InvalidCRD) as flaws:
        return DefinitionVerdict(tuple(error.as_of(kubernetes) for error in flaws.errors), ignored_old=ignored)
    before = () if stored is None else stored.schemas
    warnings = () if errors else tuple(_warnings(compiler.schemas, before, compiler.release))
    unknown = tuple(strict_decoding_errors(unknown_fields(definition, compiler.release)))
    return DefinitionVerdict(tuple(error.as_of(kubernetes) for error in errors), warnings, unknown, ignored)


def _stored(old: Any, release: int) -> StoredDefinition:
    written = as_definition(old)
    check_type_meta(written)
    return StoredDefinition(written, release)


def _check_update(compiler: Compiler, old: StoredDefinition) -> list[FieldError]:
    definition, release = compiler.definition, compiler.release
    try:
        new, before = address_update(_KIND, {"metadata": definition.meta}, {"metadata": old.meta})
    except Refused as refused:
        return [FieldError(ErrorType.INVALID, ROOT, detail=refused.refusal.message, rule="request")]
    meta = prepare_update(new, before, has_status=False)["metadata"]
    changes = not _SPEC.same(definition.source.get("spec", {}), old.source.get("spec", {}))
    meta["generation"] = meta.get("generation", 0) + changes
    changed = metadata.check_update(meta, before["metadata"], release)
    errors = metadata.check_create(meta, namespaced=False, name_rule=path_segment, release=release)
    errors += [*changed, *metadata.reported(changed, release)]
    errors += compiler.check_spec()
    errors += check_changes(definition, old)
    errors += check_accepted_names(old)
    errors += check_rest(definition, release, old)
    return errors


def _warnings(new: Iterable[Schema | None], old: Iterable[Schema | None], release: int) -> Iterator[str]:
    """Yield each warning about the schemas that those of the old definition do not cause."""
    known = {*_format_warnings(old, release), *_set_warnings(old, release)}
    found = [*_format_warnings(new, release), *sorted(_set_warnings(new, release))]
    yield from (text for text in dict.fromkeys(found) if text not in known)


def _format_warnings(schemas: Iterable[Schema | None], release: int) -> Iterator[str]:
    formats, all_types = formats_of(release), release >= number_ranges.SINCE
    for node in _nodes(schemas) if release >= _FORMAT_WARNINGS_SINCE else ():
        kind = node.source.get("type") or ("string" if all_types else "")
        if node.format and (all_types or kind == "string") and not formats.kept(node.format, (kind,)):
            yield f"unrecognized format {quote(node.format)}"


def _set_warnings(schemas: Iterable[Schema | None], release: int) -> Iterator[str]:
    for node in _nodes(schemas) if release >= _SET_WARNINGS_SINCE else ():
        kind = "" if node.items is None or node.list_type != "set" else node.items.source.get("type")
        if kind in {"object", "array"}:
            unsupported = "is not supported by server-side apply or CEL validation rules"
            yield f"x-kubernetes-list-type: set for items of type {quote(kind)} {unsupported}"


def _nodes(schemas: Iterable[Schema | None]) -> Iterator[Schema]:
    return (node for schema in schemas if schema is not None for node in every_node(schema))
