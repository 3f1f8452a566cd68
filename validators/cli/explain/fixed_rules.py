"""The ids of findings that no rule, definition or policy makes: the API server itself does."""

from types import ModuleType
from typing import Final, NamedTuple

from ovnguard.validators.base import verdict
from ovnguard.validators.built_in import decoded
from ovnguard.validators.bundled import gated_fields
from ovnguard.validators.cli import cluster_release, unjudged_objects
from ovnguard.validators.crd import strategy
from ovnguard.validators.structural.metadata import embedded_resources
from ovnguard.validators.structural.metadata import metadata_check as metadata
from ovnguard.validators.structural.objects import prepare, scale_subresource


class FixedRule(NamedTuple):
    """One id, what it requires, why, and the remedy; ``text`` is where its ``module`` has it."""

    id: str
    message: str
    why: str
    hint: str
    module: ModuleType
    text: str
    severity: str = "error"


FIXED_RULES: Final = (
    FixedRule(
        gated_fields.RULE,
        "a feature gate that is off drops the field",
        "A cluster whose feature set leaves the gate off serves a CRD without the field, so its value is lost.",
        "turn the gate on with a feature set or --feature-gates, or remove the field",
        gated_fields,
        f'"{gated_fields.RULE}"',
        "warning",
    ),
    FixedRule(
        unjudged_objects.GROUP_RULE,
        "a kind without a schema has the name of one in another group",
        "kubectl sends an object to the group in its apiVersion; a misspelt group is a kind that no server has.",
        "correct the group in apiVersion, or give the CRD of the kind with --crds",
        unjudged_objects,
        f'"{unjudged_objects.GROUP_RULE}"',
        "warning",
    ),
    FixedRule(
        cluster_release.RELEASE_RULE,
        "the cluster runs a release whose verdicts are not known",
        "Releases differ in functions of CEL, limits and texts, so the nearest known one may answer otherwise.",
        "install a newer ovnguard for a newer cluster, or name a release with --kubernetes-version",
        cluster_release,
        f'"{cluster_release.RELEASE_RULE}"',
        "warning",
    ),
    FixedRule(
        unjudged_objects.MUTATING_RULE,
        "a MutatingAdmissionPolicy or its binding is not judged",
        "Objects are judged as they are written; the API server would judge them after the policy has changed them.",
        "judge the objects as the policy leaves them, or ignore this id",
        unjudged_objects,
        f'"{unjudged_objects.MUTATING_RULE}"',
        "warning",
    ),
    FixedRule(
        "metadata",
        "the metadata must be as those of every kind",
        "The API server checks names, labels, annotations, owners and finalizers of all objects alike.",
        "read the message: it names the part of the metadata and what it may contain",
        metadata,
        '"metadata", older)',
    ),
    FixedRule(
        decoded.REQUIRED_RULE,
        "an object of a built-in kind lacks a field that its schema requires",
        "The API server's schema of the kind requires the field; its own code decides what happens without it.",
        "write the field, or leave it out where the API server sets it or accepts the object without it",
        decoded,
        f'"{decoded.REQUIRED_RULE}"',
        "warning",
    ),
    FixedRule(
        "strict",
        "the schema has no such field",
        "kubectl sends objects with strict field validation: the API server refuses unknown and duplicate fields.",
        "correct the name of the field or its indentation, or remove it",
        prepare,
        'rule="strict"',
    ),
    FixedRule(
        "x-kubernetes-validations",
        "an invalid field keeps the API server from running CEL rules",
        "Rules run only on objects whose types and sizes are as the schema says; the API server adds this error.",
        "correct the other errors of the object; then the rules run",
        strategy,
        '"x-kubernetes-validations"',
    ),
    FixedRule(
        "x-kubernetes-embedded-resource",
        "an object inside the object needs apiVersion, kind and metadata of its own",
        "The schema says that the field holds a whole object, so the API server checks it as one.",
        "give the inner object an apiVersion, a kind and metadata that are valid",
        embedded_resources,
        '"x-kubernetes-embedded-resource"',
    ),
    FixedRule(
        "scale",
        "the fields of the scale subresource must be numbers and selectors that it can show",
        "The definition has a scale subresource, which reads replicas and selector from fields of the object.",
        "read the message: it names the field and its range",
        scale_subresource,
        '"scale"',
    ),
    FixedRule(
        "request",
        "the API server refuses the request before it validates fields",
        "The object cannot be decoded, or the update conflicts with the stored object.",
        "read the message: it names the part of the object that cannot be decoded, or the conflict",
        verdict,
        'rule="request"',
    ),
)
