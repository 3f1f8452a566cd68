"""What an update of a definition may leave as it is, because the stored definition has the same fault.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (validationOptions and the functions that fill
it in).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ovnguard.validators.structural.definitions.allowances import Allowances
from ovnguard.validators.structural.definitions.ca_bundle import bundle_fault
from ovnguard.validators.structural.definitions.conversion_check import is_recognized
from ovnguard.validators.structural.definitions.definition import Definition
from ovnguard.validators.structural.definitions.keywords import TYPES, list_key_errors, set_item_errors
from ovnguard.validators.structural.definitions.root_check import MOST_SELECTABLE
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.definitions.structural_check import check_structural, every_node, structural_fault
from ovnguard.validators.structural.metadata.embedded_resources import BadEmbedded, coerce
from ovnguard.validators.structural.objects.pruning import prune
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.definition_types import VERSION
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

_MANY_FIELDS_SINCE: Final = 35
_OWN_MESSAGES_SINCE: Final = 31
_BUNDLES_SINCE: Final = 31
_SCHEMA: Final = VERSION.by_key["schema"].kind
_FIELDS: Final = VERSION.by_key["selectableFields"].kind


def allowances(new: Definition, old: StoredDefinition, release: int) -> Allowances:
    """Return what an update of ``old`` to ``new`` may leave as it is."""
    roots = [schema for schema in old.schemas if schema is not None]
    nodes = [node for root in roots for node in every_node(root)]
    rules = [rule for node in nodes for rule in node.rules]
    own = release >= _OWN_MESSAGES_SINCE
    return Allowances(
        types=any(node.source.get("type", "object") not in TYPES for node in nodes),
        missing_schemas=len(roots) < len(old.schemas),
        structure=any(structural_fault(root) or check_structural(root, "", release) for root in roots),
        unpruned_defaults=any(_has_unpruned_default(root, release) for root in roots),
        loose_sets=any(node.items is not None and set_item_errors(node, "") for node in nodes),
        loose_keys=any(list_key_errors(node, "") for node in nodes),
        review_versions=not is_recognized(old.conversion),
        ca_bundle=release < _BUNDLES_SINCE or not old.is_established or bool(bundle_fault(old.conversion_bundle)),
        rules=frozenset(rule.rule for rule in rules),
        messages=frozenset(rule.message_expression if own else rule.rule for rule in rules if rule.message_expression),
        unchanged=frozenset(_unchanged(new, old)),
        crowded=frozenset(_crowded(new, old) if release >= _MANY_FIELDS_SINCE else ()),
    )


def has_extensions(schema: Schema) -> bool:
    """Return whether a schema uses what only a structural one may use."""
    keys = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type")
    return any(
        node.embedded or node.int_or_string or node.list_map_keys or node.rules or node.source.keys() & {*keys}
        for node in every_node(schema)
    )


def _unchanged(new: Definition, old: Definition) -> Iterator[str]:
    for version in new.versions:
        name = version.get("name", "")
        try:
            same = _SCHEMA.same(new.shared_or_own("schema", name), old.shared_or_own("schema", name))
        except KeyError:
            continue
        if same:
            yield name


def _crowded(new: Definition, old: Definition) -> Iterator[str]:
    def is_kept(fields: Any, before: Any) -> bool:
        return len(before or ()) > MOST_SELECTABLE and _FIELDS.same(fields, before)

    if is_kept(new.top.get("selectableFields"), old.top.get("selectableFields")):
        yield ""
    stored = {version.get("name", ""): version.get("selectableFields") for version in old.versions}
    for version in new.versions:
        if is_kept(version.get("selectableFields"), stored.get(version.get("name", ""))):
            yield version.get("name", "")


def _has_unpruned_default(root: Schema, release: int) -> bool:
    if structural_fault(root) or check_structural(root, "", release):
        return False
    whole = replace(root, embedded=True)
    try:
        # One that cannot be pruned hides the others.
        pruned = [_is_pruned(value, steps, whole) for value, steps in _defaults(root, ())]
    except BadEmbedded:
        return False
    return not all(pruned)


_Steps = tuple[str | int, ...]


def _defaults(schema: Schema, steps: _Steps) -> Iterator[tuple[Any, _Steps]]:
    """Yield the default of a node and of every node below, with the way from the root."""
    if schema.default is not NO_DEFAULT:
        yield schema.default, steps
    below: list[tuple[Schema | None, str | int]] = [(schema.additional, "*"), (schema.items, 0)]
    for child, step in (*below, *((child, name) for name, child in schema.properties.items())):
        if child is not None:
            yield from _defaults(child, (*steps, step))


def _is_pruned(value: Any, steps: _Steps, root: Schema) -> bool:
    """Return whether a default stays as it is if the smallest object that contains it is pruned."""
    whole = value
    for step in reversed(steps):
        whole = [whole] if isinstance(step, int) else {step: whole}
    kept, _ = coerce(whole, root, lenient=True, root=False)
    kept, _ = prune(kept, root)
    try:
        for step in steps:
            kept = kept[step]
    except (KeyError, TypeError):
        return False
    return deep_equal(kept, value)
