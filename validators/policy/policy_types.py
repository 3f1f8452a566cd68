"""The Go types of ValidatingAdmissionPolicy and its binding, v1: what decodes, and which fields there are.

Source: k8s.io/api ``admissionregistration/v1`` (types.go); apimachinery ``meta/v1`` (types.go).
"""

from typing import Final

from ovnguard.validators.go import basic_types as go
from ovnguard.validators.go.basic_types import text
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf
from ovnguard.validators.structural.schema.definition_types import META, TEXTS

EMBEDDED: Final = ("RuleWithOperations.Rule.", "RuleWithOperations.")
"""How errors name the embedded structs of a rule, since Kubernetes 1.35."""


def _texts(name: str, *keys: str) -> StructOf:
    return StructOf(name, *(Field(key, go.TEXT) for key in keys))


_SELECTOR: Final = StructOf(
    "v1.LabelSelector",
    Field("matchLabels", MapOf(go.TEXT)),
    Field(
        "matchExpressions",
        ListOf(
            StructOf(
                "v1.LabelSelectorRequirement",
                Field("key", go.TEXT),
                Field("operator", text("v1.LabelSelectorOperator")),
                Field("values", TEXTS),
            )
        ),
    ),
)
_RULES: Final = ListOf(
    StructOf(
        "v1.NamedRuleWithOperations",
        Field("resourceNames", TEXTS),
        Field("operations", ListOf(text("v1.OperationType")), path=f"{EMBEDDED[1]}operations"),
        *(Field(key, TEXTS, path=EMBEDDED[0] + key) for key in ("apiGroups", "apiVersions", "resources")),
        Field("scope", text("v1.ScopeType", pointer=True), path=f"{EMBEDDED[0]}scope"),
    )
)
_MATCH: Final = StructOf(
    "v1.MatchResources",
    Field("namespaceSelector", _SELECTOR),
    Field("objectSelector", _SELECTOR),
    Field("resourceRules", _RULES),
    Field("excludeResourceRules", _RULES),
    Field("matchPolicy", text("v1.MatchPolicyType", pointer=True)),
)
_VALIDATION: Final = StructOf(
    "v1.Validation",
    Field("expression", go.TEXT),
    Field("message", go.TEXT),
    Field("reason", text("v1.StatusReason", pointer=True)),
    Field("messageExpression", go.TEXT),
)
_CONDITION: Final = StructOf(
    "v1.Condition",
    Field("type", go.TEXT),
    Field("status", text("v1.ConditionStatus")),
    Field("observedGeneration", go.INT64),
    Field("lastTransitionTime", go.Time()),
    Field("reason", go.TEXT),
    Field("message", go.TEXT),
)
_CHECKING: Final = StructOf(
    "v1.TypeChecking",
    Field("expressionWarnings", ListOf(_texts("v1.ExpressionWarning", "fieldRef", "warning"))),
)
_POLICY_SPEC: Final = StructOf(
    "v1.ValidatingAdmissionPolicySpec",
    Field("paramKind", _texts("v1.ParamKind", "apiVersion", "kind")),
    Field("matchConstraints", _MATCH),
    Field("validations", ListOf(_VALIDATION)),
    Field("failurePolicy", text("v1.FailurePolicyType", pointer=True)),
    Field("auditAnnotations", ListOf(_texts("v1.AuditAnnotation", "key", "valueExpression"))),
    Field("matchConditions", ListOf(_texts("v1.MatchCondition", "name", "expression"))),
    Field("variables", ListOf(_texts("v1.Variable", "name", "expression"))),
    pointer=False,
)
_STATUS: Final = StructOf(
    "v1.ValidatingAdmissionPolicyStatus",
    Field("observedGeneration", go.INT64),
    Field("typeChecking", _CHECKING),
    Field("conditions", ListOf(_CONDITION)),
    pointer=False,
)
_PARAM_REF: Final = StructOf(
    "v1.ParamRef",
    Field("name", go.TEXT),
    Field("namespace", go.TEXT),
    Field("selector", _SELECTOR),
    Field("parameterNotFoundAction", text("v1.ParameterNotFoundActionType", pointer=True)),
)
_BINDING_SPEC: Final = StructOf(
    "v1.ValidatingAdmissionPolicyBindingSpec",
    Field("policyName", go.TEXT),
    Field("paramRef", _PARAM_REF),
    Field("matchResources", _MATCH),
    Field("validationActions", ListOf(text("v1.ValidationAction"))),
    pointer=False,
)
_HEAD: Final = (Field("apiVersion", go.TEXT), Field("kind", go.TEXT), Field("metadata", META))
POLICY_TYPE: Final = StructOf(
    "v1.ValidatingAdmissionPolicy", *_HEAD, Field("spec", _POLICY_SPEC), Field("status", _STATUS)
)
BINDING_TYPE: Final = StructOf("v1.ValidatingAdmissionPolicyBinding", *_HEAD, Field("spec", _BINDING_SPEC))
