"""The one judgement: preflight, webhook and reconciler all call `judge`.

Order: selected values (transit subnets) -> schema verdict (prune, default, structural, CEL) -> the object as a
`Network` -> rules over one object, then over the view. Rules check only objects that the schema accepts.
"""

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.bundled.catalog import Catalog, Chosen, gvk_of
from ovnguard.validators.bundled.cni_schema import config_errors
from ovnguard.validators.bundled.policy_kinds import has_policies_for
from ovnguard.validators.network import rules
from ovnguard.validators.network.cluster.cluster_facts import facts_of
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import reaches
from ovnguard.validators.network.cluster.ownership import claim_of
from ovnguard.validators.network.cluster_view import NAD, ClusterView, GroupKind
from ovnguard.validators.network.declared.network_of import Parsed, group_kind_of, network_of
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.operators import DEFAULT_CLUSTER_MANAGERS, DEFAULT_OPERATORS, is_operator
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.transit.selected_values import Selected, select_values

OTHER_GENERATION: Final = "the stored object uses the other generation of the no-overlay API"


class Operation(StrEnum):
    """The operation of a request."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


_DELETE: Final = Operation.DELETE
_NOTHING: Final = Parsed(None)


class Request(NamedTuple):
    """One request as admission sees it; ``old`` is the stored object of an UPDATE or DELETE.

    ``user`` is the name of the requesting user, "" if unknown; ``operators`` are the users that act for the cluster
    network operator, and ``managers`` those that act for OVN-Kubernetes' cluster manager, as
    `validators.network.operators.is_operator` reads them. ``dynamic``: the requester itself allocates user-defined
    networks dynamically.
    """

    operation: Operation
    object: JsonObject | None
    old: JsonObject | None = None
    subresource: str = ""
    user: str = ""
    operators: frozenset[str] = DEFAULT_OPERATORS
    managers: frozenset[str] = DEFAULT_CLUSTER_MANAGERS
    dynamic: bool = False


class Judgement(NamedTuple):
    """The answer. ``object`` is the object as it would be stored, selected values included (None for DELETE).

    ``mutated`` is the object of the request plus selected values only (no defaults, nothing pruned), the result of the
    mutating webhook's patch. It is the identical input object when no value was selected. ``schema_warnings`` are texts
    of the API server's own Warning headers, ``notes`` the selections, ``unchecked`` the rules that lack facts.
    ``retry`` says why there is no verdict yet: the requester must try again.
    """

    allowed: bool
    object: JsonObject | None
    mutated: JsonObject | None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()
    schema_warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    schema_set: str = ""
    verdict: Verdict | None = None
    unchecked: tuple[Unchecked, ...] = ()
    retry: str = ""

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes and, as text, the rules that were not checked."""
        return (*self.notes, *(each.text for each in self.unchecked))

    @property
    def cost(self) -> int:
        """CEL units spent; counted on first access, because rules on an accepted object need not count."""
        return 0 if self.verdict is None else self.verdict.cost


def judge(
    request: Request, view: ClusterView, catalog: Catalog | None = None, *, field_validation: str = "Warn"
) -> Judgement:
    """Return the judgement of ``request`` with the objects of ``view`` around it.

    ``catalog`` finds the schemas; None means the bundled ones. ``field_validation`` is the API server's: ``Strict``
    refuses unknown fields, ``Warn`` warns. A kind without a known schema is accepted with a note: admission must not
    refuse objects that it does not understand. Raises InvalidCRD when a given CRD is invalid.
    """
    if request.operation is _DELETE:
        return _judge_deletion(request, view)
    if request.object is None:
        return Judgement(True, None, None)
    if reason := _missing_owner(request, request.object, view):
        return Judgement(False, None, None, retry=reason)
    catalog = catalog or _bundled()
    # Values are not selected for a status, and network rules do not read it.
    selected = Selected(request.object) if request.subresource else select_values(request.object, request.old, view)
    chosen = catalog.choose(selected.object, request.old, request.subresource)
    if chosen is None:
        return _judge_without_schema(request, request.object, view)
    answer = _judge_chosen(request, chosen, selected, view, field_validation)
    if answer.verdict is not None and answer.verdict.allowed and not request.subresource:
        wrong = config_errors(request.object, request.old, catalog, answer.errors)
        answer = answer._replace(allowed=False, errors=(*answer.errors, *wrong)) if wrong else answer
    if answer.errors and chosen.generations_differ:
        return answer._replace(notes=(*answer.notes, OTHER_GENERATION))
    return answer


def _missing_owner(request: Request, obj: JsonObject, view: ClusterView) -> str:
    """Return why a new attachment of the cluster manager cannot be judged yet, or the empty string.

    The cluster manager may be faster than the watch that fills the view. A denial would become a condition of the
    network; after a failure the cluster manager retries.
    """
    if request.operation is not Operation.CREATE or not is_operator(request.user, request.managers):
        return ""
    claim = claim_of(obj) if group_kind_of(obj) == NAD else None
    # no later view holds a claim without a uid, which is invalid
    if claim is None or not claim.uid:
        return ""
    inventory, owner = inventory_of(view), f"{claim.key.kind.kind} {claim.key.title}"
    if not inventory.owners().prove(claim):
        return f"ovnguard has not seen {owner} with uid {claim.uid} yet"
    # the watch of namespaces, or of the selector, may be late as well
    return "" if reaches(inventory, obj) else f"ovnguard has not seen yet that {owner} selects the namespace"


def _judge_deletion(request: Request, view: ClusterView) -> Judgement:
    """Judge a deletion by the rules; a deletion without an object is accepted."""
    gone = request.old or request.object
    answer = Judgement(True, None, None)
    return answer if gone is None else _judge_rules(request, gone, Selected(gone), answer, view)


def _judge_without_schema(request: Request, obj: JsonObject, view: ClusterView) -> Judgement:
    """Judge an object of a built-in kind by the rules: its schema is in the API server."""
    answer = Judgement(True, obj, obj)
    if not has_rules_or_policies_for(obj, request.old):
        return answer._replace(notes=(f"not judged: no schema for {gvk_of(obj)}",))
    return _judge_rules(request, obj, Selected(obj), answer, view)


def has_rules_or_policies_for(obj: JsonObject, old: JsonObject | None = None) -> bool:
    """Whether rules or policies apply to an object without a schema."""
    kind = group_kind_of(obj)
    return rules.has_rules_for(kind, obj) or has_policies_for(kind, obj, old)


@cache
def _bundled() -> Catalog:
    return Catalog()


def _judge_chosen(
    request: Request, chosen: Chosen, selected: Selected, view: ClusterView, field_validation: str
) -> Judgement:
    """Judge by a schema, then by the rules: they check only what the schema accepts."""
    verdict = chosen.request.verdict(field_validation)
    answer = Judgement(
        allowed=False,
        object=verdict.object,
        mutated=selected.object,
        errors=verdict.findings,
        warnings=chosen.dropped,
        schema_warnings=verdict.warnings,
        schema_set=chosen.schema_set,
        verdict=verdict,
    )
    if not verdict.allowed or verdict.object is None:
        return answer
    if chosen.dropped or chosen.old is not request.old:
        # The server would not keep the fields that it drops in the stored object either.
        request = request._replace(old=chosen.old)
    return _judge_rules(request, verdict.object, selected, answer, view)


def _judge_rules(
    request: Request, obj: JsonObject, selected: Selected, answer: Judgement, view: ClusterView
) -> Judgement:
    """Add the findings of the rules on an object that its schema accepts."""
    obj = _without_assumed_namespace(request, obj)
    judged = not request.subresource and request.operation is not _DELETE
    parsed = network_of(obj) if judged else _NOTHING
    before = network_of(request.old) if judged and request.old is not None else _NOTHING
    inventory = inventory_of(view)
    rendered, old_rendered = _rendered(request, obj, inventory) if group_kind_of(obj) == NAD else (False, False)
    context = rules.RuleContext(
        request.operation,
        obj,
        request.old,
        parsed.network,
        before.network,
        facts_of(inventory),
        inventory,
        request.subresource,
        request.user,
        request.operators,
        request.managers,
        rendered,
        old_rendered,
        request.dynamic,
    )
    errors, warnings, unchecked = rules.run(context)
    if parsed.errors:
        errors = (*_new(parsed, before, obj, request.old), *errors)
    known_before = {(warning.field, warning.text) for warning in before.warnings}
    read = tuple(warning for warning in parsed.warnings if (warning.field, warning.text) not in known_before)
    judged_so_far = Judgement(
        not errors,
        answer.object,
        answer.mutated,
        errors,
        (*answer.warnings, *read, *warnings),
        answer.schema_warnings,
        selected.notes,
        answer.schema_set,
        answer.verdict,
        unchecked,
    )
    return _ask_policies(request, context.kind, obj, judged_so_far, view)


def _without_assumed_namespace(request: Request, obj: JsonObject) -> JsonObject:
    """Return the object without the namespace that the pipeline filled in: rules must not take it for the real one."""
    sent = request.object if request.object is not None else request.old
    if sent is None or dig(sent, "metadata", "namespace") or not dig(obj, "metadata", "namespace"):
        return obj
    metadata = {key: value for key, value in obj["metadata"].items() if key != "namespace"}
    return {**obj, "metadata": metadata}


def _rendered(request: Request, obj: JsonObject, inventory: Inventory) -> tuple[bool, bool]:
    """Return whether OVN-Kubernetes rendered an attachment, and whether it rendered the stored one.

    The writer of the configuration must be the cluster manager; offline, the writer is unknown.
    """
    old_rendered = request.old is not None and inventory.is_rendered(request.old)
    unchanged = request.old is not None and request.old.get("spec") == obj.get("spec")
    if not inventory.is_rendered(obj):
        # the garbage collector removes the reference of an orphan, whose configuration is still OVN-Kubernetes'
        return old_rendered and unchanged, old_rendered
    if unchanged or request.operation is _DELETE:
        return True, old_rendered
    by_manager = not request.user or is_operator(request.user, request.managers)
    return by_manager and reaches(inventory, obj), old_rendered


def _new(parsed: Parsed, before: Parsed, obj: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    """Errors that the stored object does not have: an update must be able to fix the others.

    Those of an attachment's configuration count whenever it changes: no rule judges the network of an invalid one.
    """
    changed = dig(obj, *CONFIG_FIELD.split(".")) != dig(old, *CONFIG_FIELD.split("."))
    known = {(error.field, error.text) for error in before.errors if error.field != CONFIG_FIELD or not changed}
    return (error for error in parsed.errors if (error.field, error.text) not in known)


def _ask_policies(
    request: Request, kind: GroupKind, obj: JsonObject, answer: Judgement, view: ClusterView
) -> Judgement:
    """Add the findings of the bundled policies on an object as it is stored, or on a deletion."""
    new, old = (None, obj) if request.operation is _DELETE else (obj, request.old)
    if not has_policies_for(kind, new, old):
        return answer
    from ovnguard.validators.bundled.bundled_policies import judge_by_policies  # no policy matches most objects

    verdict = judge_by_policies(
        kind, request.operation, new, old, view, subresource=request.subresource, user=request.user
    )
    errors, warnings = (*answer.errors, *verdict.errors), (*answer.warnings, *verdict.warnings)
    return answer._replace(
        allowed=not errors,
        errors=errors,
        warnings=warnings,
        notes=(*answer.notes, *verdict.notes),
        unchecked=(*answer.unchecked, *verdict.unchecked),
    )
