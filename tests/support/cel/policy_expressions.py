"""Policies with one expression each, and the ConfigMap that they judge. The real server is the reference.

A case is a spec (merged over defaults), the object of the request and, for an update, the object before.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from ovnguard.validators.policy import PolicyRequest, UserInfo

DATA: Final = {"mode": "fast", "size": "10", "cidr": "10.0.0.0/8", "empty": "", "long": "x" * 300}
LABELS: Final = {"app": "web", "tier": "front", "example.com/team": "net"}
ANNOTATIONS: Final = {"note": "first"}


@dataclass(frozen=True)
class Case:
    """``spec`` goes over the policy's, ``binding`` over the binding's; ``old`` makes an update; ``name`` is unique."""

    name: str
    spec: dict[str, Any]
    binding: dict[str, Any] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=lambda: dict(DATA))
    labels: dict[str, str] = field(default_factory=lambda: dict(LABELS))
    update: bool = False


def expression(text: str, **more: Any) -> dict[str, Any]:
    return {"validations": [{"expression": text, **more}]}


# Expressions over the ConfigMap above, on creation.
_PLAIN: Final = (
    "object.data.mode == 'fast'",
    "object.data.mode == 'slow'",
    "object.data.missing == 'x'",
    "has(object.data.missing)",
    "!has(object.data.missing) || object.data.missing == 'x'",
    "has(object.data) && has(object.data.mode)",
    "int(object.data.size) > 5",
    "int(object.data.size) > 50",
    "int(object.data.mode) > 5",
    "object.data.size > 5",
    "object.data.mode.startsWith('f')",
    "object.data.mode.matches('^f[a-z]+$')",
    "object.data.mode.matches(object.data.cidr + '(')",
    "object.data.?mode.orValue('') == 'fast'",
    "object.?data.?missing.orValue('none') == 'none'",
    "object.spec.?replicas.hasValue()",
    "object.?spec.?replicas.hasValue()",
    "object.metadata.labels['app'] == 'web'",
    "object.metadata.labels['nothing'] == 'web'",
    "'app' in object.metadata.labels",
    "'example.com/team' in object.metadata.labels",
    "object.metadata.labels.all(k, k.size() < 20)",
    "object.metadata.labels.exists(k, k == 'tier' && object.metadata.labels[k] == 'back')",
    "object.metadata.labels.all(k, v, v != 'front')",
    "object.data.filter(k, object.data[k] == '').size() == 1",
    "object.data.map(k, k).exists_one(k, k == 'mode')",
    "object.kind == 'ConfigMap' && object.apiVersion == 'v1'",
    "object.metadata.namespace == request.namespace",
    "object.metadata.name == request.name",
    "object.metadata.annotations.note == 'first'",
    "object.metadata.generation == 1",
    "oldObject == null",
    "oldObject != null",
    "oldObject.data.mode == 'fast'",
    "has(oldObject.data)",
    "request.operation == 'CREATE'",
    "request.operation in ['UPDATE', 'DELETE']",
    "request.kind.kind == 'ConfigMap' && request.kind.group == '' && request.kind.version == 'v1'",
    "request.resource.resource == 'configmaps' && request.requestResource.resource == 'configmaps'",
    "request.requestKind.kind == 'ConfigMap'",
    "has(request.subResource)",
    "request.subResource == ''",
    "request.dryRun",
    "request.userInfo.username == 'admin'",
    "'system:masters' in request.userInfo.groups",
    "'system:authenticated' in request.userInfo.groups",
    "has(request.userInfo.uid)",
    "has(request.options)",
    "namespaceObject.metadata.name == 'default'",
    "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'",
    "namespaceObject.metadata.annotations['x'] == 'y'",
    "has(namespaceObject.metadata.annotations)",
    "namespaceObject.status.phase == 'Active'",
    "namespaceObject.spec.finalizers.exists(f, f == 'kubernetes')",
    "has(namespaceObject.metadata.UID)",
    "namespaceObject.metadata.UID == ''",
    "namespaceObject.metadata.creationTimestamp < timestamp('2100-01-01T00:00:00Z')",
    "namespaceObject.metadata.creationTimestamp.getFullYear() > 2000",
    "cidr(object.data.cidr).containsIP('10.1.2.3')",
    "cidr(object.data.cidr).containsIP(ip('11.1.2.3'))",
    "isCIDR(object.data.mode)",
    "cidr(object.data.mode).prefixLength() == 8",
    "isIP('10.0.0.1') && ip('10.0.0.1').family() == 4",
    "quantity(object.data.size + 'Gi').isGreaterThan(quantity('5Gi'))",
    "semver('1.2.3').isLessThan(semver('1.10.0'))",
    "format.dns1123Label().validate(object.data.mode).hasValue()",
    "!format.dns1123Label().validate(object.data.long).hasValue()",
    "url('https://example.com:80/x').getPort() == '80'",
    "isURL(object.data.mode)",
    "sets.contains(['fast', 'slow'], [object.data.mode])",
    "object.data.long.size() == 300",
    "object.data.map(k, object.data[k]).join(',').contains('fast')",
    "['a', 'b'].indexOf(object.data.mode) == -1",
    "[1, 2, 3].sum() == 6",
    "lists.range(3).map(i, i * i).exists(i, i == 4)",
    "object.data.mode == 1",
    "dyn(1) == 1.0",
    "object.data == {'mode': 'fast'}",
    "object.data.size + 1 == 11",
    "1 / int(object.data.empty.size()) == 1",
    "string(object.data.mode).size() > 9 || dyn(object.data.size) > 5",
    "object.data.missing == 'x' || object.data.mode == 'fast'",
    "object.data.missing == 'x' && object.data.mode == 'slow'",
    "object.data.missing == 'x' && object.data.mode == 'fast'",
    "object.data.mode ? true : false",
    "object.data.size == '10' ? object.data.mode == 'slow' : true",
    "'%s is %d'.format([object.data.mode, int(object.data.size)]) == 'fast is 10'",
    "object.data.mode.charAt(9) == ''",
    "duration('1h') > duration('59m')",
    "timestamp(object.data.mode) > timestamp('2000-01-01T00:00:00Z')",
    "type(object) == map",
    "type(object.data.mode) == string",
    "object.metadata.namespace.find('[a-z]+') == 'default'",
    "size(object.data) == 5 && object.data.size() == 5",
    "object.data.all(k, object.data[k].size() < 100)",
    "object.metadata.managedFields.size() == 1",
    "has(object.metadata.uid)",
    "object.binaryData.size() == 0",
    "object['data']['mode'] == 'fast'",
    "object.data[0] == 'fast'",
    "  object.data.mode == 'slow'  ",
)

_UPDATES: Final = (
    "object.data.mode == oldObject.data.mode",
    "object.data == oldObject.data",
    "oldObject.data.mode == 'slow'",
    "request.operation == 'UPDATE'",
    "object.metadata.uid == oldObject.metadata.uid",
    "oldObject.data.missing == ''",
    "!has(oldObject.data.size) || oldObject.data.size == object.data.size",
)


def _variables(*pairs: str) -> list[dict[str, str]]:
    return [{"name": name, "expression": text} for name, _, text in (pair.partition("=") for pair in pairs)]


_LOOP: Final = "lists.range(%d).all(i, lists.range(300).all(j, i + j >= 0))"
_WORK: Final = _variables(f"work={_LOOP % 280}")

_OTHER: Final[tuple[tuple[dict[str, Any], dict[str, Any]], ...]] = (
    (expression("false", message="  told so  "), {}),
    (expression("false", message="m", messageExpression="'mode is ' + object.data.mode"), {}),
    (expression("false", message="m", messageExpression="'no ' + object.data.missing"), {}),
    (expression("false", message="m", messageExpression="'  '"), {}),
    (expression("false", messageExpression="'a\\nb'"), {}),
    (expression("false", messageExpression="object.data.mode + object.data.long + '!'"), {}),
    (expression("false", message="m", messageExpression="lists.range(600).map(i, 'xxxxxxxxxx').join()"), {}),
    (expression("false", reason="Forbidden"), {}),
    (expression("false", reason="Invalid", message="i"), {}),
    (expression("false", reason="RequestEntityTooLarge"), {}),
    (expression("object.data.missing == 'x'", reason="Forbidden", message="m"), {}),
    ({"validations": [{"expression": "true"}, {"expression": "1 > 2"}, {"expression": "2 > 3"}]}, {}),
    ({**expression("object.data.missing == 'x'"), "failurePolicy": "Ignore"}, {}),
    ({**expression("false"), "failurePolicy": "Ignore"}, {}),
    ({"variables": _variables("m=object.data.mode"), **expression("variables.m == 'slow'")}, {}),
    (
        {
            "variables": _variables("n=int(object.data.size)", "twice=variables.n * 2"),
            **expression("variables.twice == 21", messageExpression="string(variables.twice) + ' it is'"),
        },
        {},
    ),
    ({"variables": _variables("bad=object.data.missing"), **expression("variables.bad == 'x'")}, {}),
    ({"variables": _variables("bad=object.data.missing"), **expression("true || variables.bad == 'x'")}, {}),
    ({"variables": _variables("bad=object.data.missing"), **expression("has(variables.bad)")}, {}),
    ({"variables": _variables("bad=object.data.missing"), **expression("variables.?bad.hasValue()")}, {}),
    ({"variables": _variables("ok=1"), **expression("has(variables.ok) && variables.ok == 2")}, {}),
    (
        {
            "variables": _variables("bad=1/0", "worse=variables.bad + 1"),
            **expression("variables.worse == 1"),
        },
        {},
    ),
    ({"variables": _variables("l=[1, 2]"), **expression("variables.l.exists(x, x == 3)")}, {}),
    ({"variables": _variables("m={'a': ['b']}"), **expression("variables.m.a[0] == 'c'")}, {}),
    ({"variables": _variables("o=optional.of(1)"), **expression("variables.o.value() == 2")}, {}),
    ({"variables": _variables("i=ip('10.0.0.1')"), **expression("variables.i.family() == 6")}, {}),
    ({**expression("false"), "matchConditions": [{"name": "a", "expression": "object.data.mode == 'slow'"}]}, {}),
    ({**expression("false"), "matchConditions": [{"name": "a", "expression": "object.data.mode == 'fast'"}]}, {}),
    ({**expression("false"), "matchConditions": [{"name": "a", "expression": "object.data.missing == ''"}]}, {}),
    (
        {
            **expression("false"),
            "matchConditions": [
                {"name": "a", "expression": "object.data.missing == ''"},
                {"name": "b", "expression": "false"},
            ],
        },
        {},
    ),
    (
        {
            **expression("false"),
            "matchConditions": [
                {"name": "a", "expression": "object.data.missing == ''"},
                {"name": "b", "expression": "object.data.other == ''"},
                {"name": "c", "expression": "object.data.missing == ''"},
            ],
        },
        {},
    ),
    (
        {
            **expression("false"),
            "failurePolicy": "Ignore",
            "matchConditions": [{"name": "a", "expression": "object.data.missing == ''"}],
        },
        {},
    ),
    ({**expression("false"), "matchConditions": [{"name": "a", "expression": "namespaceObject == null"}]}, {}),
    (
        {
            **expression("false"),
            "matchConditions": [{"name": "a", "expression": "namespaceObject.metadata.name == 'x'"}],
        },
        {},
    ),
    ({**expression("false"), "matchConditions": [{"name": "a", "expression": _LOOP % 1000}]}, {}),
    (
        {
            **expression("false"),
            "matchConditions": [{"name": f"n{at}", "expression": _LOOP % 300} for at in range(4)],
        },
        {},
    ),
    (expression(_LOOP % 1000), {}),
    ({"validations": [{"expression": _LOOP % 280} for _ in range(20)]}, {}),
    ({"validations": [{"expression": _LOOP % 280} for _ in range(20)], "failurePolicy": "Ignore"}, {}),
    ({"variables": _WORK, "validations": [{"expression": "variables.work"} for _ in range(40)]}, {}),
    ({"variables": _variables(f"work={_LOOP % 1000}"), **expression("variables.work")}, {}),
    (
        {
            "validations": [
                *({"expression": _LOOP % 250} for _ in range(10)),
                {"expression": "false", "messageExpression": f"string({_LOOP % 300})", "message": "m"},
                {"expression": "false", "messageExpression": f"string({_LOOP % 300})", "message": "n"},
                {"expression": "true", "messageExpression": f"string({_LOOP % 300})"},
                {"expression": "true", "messageExpression": f"string({_LOOP % 300})"},
            ]
        },
        {},
    ),
    ({"auditAnnotations": [{"key": "k", "valueExpression": "'v ' + object.data.mode"}]}, {}),
    ({"auditAnnotations": [{"key": "k", "valueExpression": "object.data.missing + ''"}]}, {}),
    (
        {"auditAnnotations": [{"key": "k", "valueExpression": "object.data.missing + ''"}]},
        {"validationActions": ["Audit"]},
    ),
    (
        {
            "auditAnnotations": [{"key": "k", "valueExpression": "object.data.missing + ''"}],
            "failurePolicy": "Ignore",
        },
        {},
    ),
    ({"auditAnnotations": [{"key": "k", "valueExpression": "authorizer.path('/x').check('get').reason()"}]}, {}),
    ({**expression("true"), "auditAnnotations": [{"key": "k", "valueExpression": "null"}]}, {}),
    (expression("false", message="w"), {"validationActions": ["Warn"]}),
    (expression("object.data.missing == 'x'"), {"validationActions": ["Warn", "Audit"]}),
    (expression("false", message="a"), {"validationActions": ["Audit"]}),
    (expression("false", message="d"), {"validationActions": ["Audit", "Deny"]}),
    ({"validations": [{"expression": "false"}, {"expression": "false"}]}, {"validationActions": ["Warn"]}),
    (expression("true || authorizer.path('/x').check('get').allowed()"), {}),
    # Parameters. Those of the default namespace are given: limits (max 5, team net) and others (max 20).
    ({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, **expression("params == null")}, {}),
    (
        {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            **expression("int(object.data.size) <= int(params.data.max)"),
        },
        {"paramRef": {"name": "policy-limits", "namespace": "default", "parameterNotFoundAction": "Deny"}},
    ),
    (
        {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            **expression("int(object.data.size) <= int(params.data.max)"),
        },
        {"paramRef": {"name": "policy-others", "parameterNotFoundAction": "Deny"}},
    ),
    (
        {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            **expression("params.kind + params.apiVersion == 'ConfigMapv1' && false"),
        },
        {"paramRef": {"name": "policy-limits", "parameterNotFoundAction": "Deny"}},
    ),
    (
        {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, **expression("false")},
        {"paramRef": {"name": "policy-absent", "parameterNotFoundAction": "Deny"}},
    ),
    (
        {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, **expression("false")},
        {"paramRef": {"name": "policy-absent", "parameterNotFoundAction": "Allow"}},
    ),
    (
        {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            **expression("params.data.max == '20'", messageExpression="'max ' + params.data.max"),
        },
        {"paramRef": {"selector": {"matchLabels": {"policy-team": "net"}}, "parameterNotFoundAction": "Deny"}},
    ),
    (
        {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, **expression("params.data.missing == ''")},
        {"paramRef": {"selector": {"matchLabels": {"policy-team": "none"}}, "parameterNotFoundAction": "Deny"}},
    ),
    (
        {
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            **expression("params.data.max == '5'"),
            "auditAnnotations": [{"key": "max", "valueExpression": "string(params.data.max)"}],
        },
        {
            "paramRef": {
                "selector": {"matchExpressions": [{"key": "policy-team", "operator": "Exists"}]},
                "parameterNotFoundAction": "Deny",
            }
        },
    ),
    # Matching.
    ({**expression("false"), "match": {"objectSelector": {"matchLabels": {"app": "web"}}}}, {}),
    ({**expression("false"), "match": {"objectSelector": {"matchLabels": {"app": "db"}}}}, {}),
    (
        {
            **expression("false"),
            "match": {
                "objectSelector": {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["front", "x"]}]}
            },
        },
        {},
    ),
    (
        {
            **expression("false"),
            "match": {
                "objectSelector": {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["front"]}]}
            },
        },
        {},
    ),
    (
        {
            **expression("false"),
            "match": {
                "objectSelector": {"matchExpressions": [{"key": "none", "operator": "NotIn", "values": ["front"]}]}
            },
        },
        {},
    ),
    (
        {
            **expression("false"),
            "match": {"objectSelector": {"matchExpressions": [{"key": "none", "operator": "DoesNotExist"}]}},
        },
        {},
    ),
    (
        {
            **expression("false"),
            "match": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}}},
        },
        {},
    ),
    (
        {**expression("false"), "match": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}}},
        {},
    ),
    ({**expression("false"), "rule": {"scope": "Cluster"}}, {}),
    ({**expression("false"), "rule": {"scope": "Namespaced"}}, {}),
    ({**expression("false"), "rule": {"operations": ["UPDATE", "DELETE"]}}, {}),
    ({**expression("false"), "rule": {"operations": ["*"]}}, {}),
    ({**expression("false"), "rule": {"resources": ["*"]}}, {}),
    ({**expression("false"), "rule": {"resources": ["*/*"]}}, {}),
    ({**expression("false"), "rule": {"resources": ["configmaps/status"]}}, {}),
    ({**expression("false"), "rule": {"apiGroups": ["apps"]}}, {}),
    ({**expression("false"), "rule": {"apiVersions": ["*"], "apiGroups": ["*"]}}, {}),
    ({**expression("false"), "exclude": {}}, {}),
    ({**expression("false"), "exclude": {"operations": ["UPDATE"]}}, {}),
    (expression("false"), {"matchResources": {"objectSelector": {"matchLabels": {"app": "db"}}}}),
    (expression("false"), {"matchResources": {"objectSelector": {"matchLabels": {"app": "web"}}}}),
    (
        expression("false"),
        {
            "matchResources": {
                "resourceRules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["secrets"], "operations": ["*"]}
                ]
            }
        },
    ),
    (
        expression("false"),
        {"matchResources": {"namespaceSelector": {"matchExpressions": [{"key": "x", "operator": "Exists"}]}}},
    ),
)

CASES: Final = (
    *(Case(f"case-plain-{at}", expression(text)) for at, text in enumerate(_PLAIN)),
    *(Case(f"case-update-{at}", expression(text), update=True) for at, text in enumerate(_UPDATES)),
    *(Case(f"case-other-{at}", spec, binding) for at, (spec, binding) in enumerate(_OTHER)),
    Case("case-bare", expression("has(object.data) || has(object.metadata.labels)"), data={}, labels={}),
    Case("case-bare-path", expression("object.data.mode == 'x'"), data={}, labels={}),
)


def policy(case: Case) -> dict[str, Any]:
    """The policy of a case; it is about the ConfigMap of its own name."""
    spec = dict(case.spec)
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["configmaps"],
        "operations": ["CREATE", "UPDATE"],
        "resourceNames": [case.name],
        **spec.pop("rule", {}),
    }
    constraints = {"resourceRules": [rule], **spec.pop("match", {})}
    if (excluded := spec.pop("exclude", None)) is not None:
        constraints["excludeResourceRules"] = [{**rule, **excluded}]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": f"{case.name}.policies.ovnguard.io"},
        "spec": {"matchConstraints": constraints, **spec},
    }


def binding(case: Case) -> dict[str, Any]:
    """The binding of a case."""
    name = f"{case.name}.policies.ovnguard.io"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"], **case.binding},
    }


def config_map(case: Case) -> dict[str, Any]:
    """The object of a case."""
    metadata = {"name": case.name, "namespace": "default", "annotations": dict(ANNOTATIONS)}
    if case.labels:
        metadata["labels"] = dict(case.labels)
    made: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    if case.data:
        made["data"] = dict(case.data)
    return made


PARAMS: Final[list[dict[str, Any]]] = [
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"policy-{name}", "namespace": "default", "labels": {"policy-team": team}},
        "data": {"max": most},
    }
    for name, team, most in (("limits", "net", "5"), ("others", "other", "20"))
]

_BASE: Final = Case("case-refused", expression("true"))


def _refused(**spec: Any) -> tuple[str, dict[str, Any]]:
    body = policy(_BASE)
    body["spec"] = {key: held for key, held in {**body["spec"], **spec}.items() if held is not None}
    return "policy", body


def _rules(**rule: Any) -> tuple[str, dict[str, Any]]:
    held = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"], **rule}
    return _refused(matchConstraints={"resourceRules": [held]})


def _selector(**selector: Any) -> tuple[str, dict[str, Any]]:
    rules = policy(_BASE)["spec"]["matchConstraints"]["resourceRules"]
    return _refused(matchConstraints={"resourceRules": rules, "objectSelector": selector})


def _unbound(**spec: Any) -> tuple[str, dict[str, Any]]:
    body = binding(_BASE)
    body["spec"] = {key: held for key, held in {**body["spec"], **spec}.items() if held is not None}
    return "binding", body


def _renamed(kind: str, name: str) -> tuple[str, dict[str, Any]]:
    body = policy(_BASE) if kind == "policy" else binding(_BASE)
    body["metadata"] = {"name": name}
    return kind, body


_CONFIG_MAPS: Final = {"apiVersion": "v1", "kind": "ConfigMap"}
# Expressions that are no validation: the server's words for each.
_BAD: Final = (
    "object.data.mode",
    "object.x +",
    "1 + 1",
    "'x'",
    "null",
    "[1, 2]",
    "{'a': 1.5}",
    "type(1)",
    "timestamp('2020-01-01T00:00:00Z')",
    "duration('1h')",
    "b'x'",
    "1u",
    "ip('10.0.0.1')",
    "optional.of(1)",
    "optional.none()",
    "[]",
    "quantity('1')",
    "request",
    "namespaceObject",
    "authorizer",
    "authorizer.requestResource",
    "authorizer.path('/x').check('get')",
    "unknown == 1",
    "self.x == 1",
    "params.x == 1",
    "variables.x == 1",
    "request.uid == ''",
    "request.object == object",
    "request.kind == 'x'",
    "request.userInfo.nothing == 1",
    "request.userInfo.extra['a'] == 'x'",
    "request.dryRun == 'x'",
    "namespaceObject.kind == 'x'",
    "namespaceObject.metadata.uid == 'x'",
    "namespaceObject.metadata.creationTimestamp == 'x'",
    "namespaceObject.status.conditions.all(c, c.nothing == 'x')",
    "object.foo(1)",
    "true &&\n  1 > 'x'",
    "timestamp('x') == timestamp('y')",
    "object.data.mode.matches('(')",
    "object.data.mode.find('(') == ''",
    "int('x') == 1",
    "  ",
)

REFUSED: Final = (
    *(_refused(validations=[{"expression": text}]) for text in _BAD),
    _refused(validations=[{"expression": "x"}, {"expression": "true", "messageExpression": "1"}]),
    _refused(validations=[{"expression": "true", "messageExpression": "object.data.mode"}]),
    _refused(validations=[{"expression": "true", "messageExpression": "authorizer.path('/').check('get').reason()"}]),
    _refused(validations=[{"expression": "true", "messageExpression": "params.x + ''"}]),
    _refused(validations=[{"expression": "true", "messageExpression": " "}]),
    _refused(validations=[{"expression": "true", "message": " "}]),
    _refused(validations=[{"expression": "true", "message": "a\nb"}]),
    _refused(validations=[{"expression": "true", "reason": "Nope"}]),
    _refused(validations=[]),
    _refused(failurePolicy="Maybe"),
    _refused(matchConstraints=None),
    _refused(matchConstraints={}),
    _refused(matchConstraints={"matchPolicy": "Some"}),
    _rules(operations=[]),
    _rules(operations=["*", "CREATE"]),
    _rules(operations=["PATCH"]),
    _rules(apiGroups=[]),
    _rules(apiGroups=["*", ""]),
    _rules(apiVersions=["", "*"]),
    _rules(apiVersions=[]),
    _rules(resources=[]),
    _rules(resources=["pods/*", "pods/status", "*/status", "pods/status"]),
    _rules(resources=["*/*", "pods"]),
    _rules(resources=["*", "pods"]),
    _rules(resources=[""]),
    _rules(scope="Some"),
    _rules(resourceNames=["a/b", "a", "a", ".."]),
    _selector(matchLabels={"-bad": "x"}),
    _selector(matchLabels={"a": "b c"}),
    _selector(matchExpressions=[{"key": "a", "operator": "In"}]),
    _selector(matchExpressions=[{"key": "a", "operator": "Exists", "values": ["x"]}]),
    _selector(matchExpressions=[{"key": "a/b/c", "operator": "Equals", "values": ["x y"]}]),
    _refused(paramKind={"apiVersion": "", "kind": ""}),
    _refused(paramKind={"apiVersion": "a/b/c", "kind": "X_Y"}),
    _refused(paramKind={"apiVersion": "A_b/v1", "kind": "Kind"}),
    _refused(paramKind={"apiVersion": "a/V1", "kind": "Kind"}),
    _refused(paramKind={"apiVersion": "a/", "kind": "Kind"}),
    _refused(matchConditions=[{"name": "", "expression": " "}]),
    _refused(matchConditions=[{"name": "a b", "expression": "1"}]),
    _refused(matchConditions=[{"name": "a", "expression": "true"}, {"name": "a", "expression": "x"}]),
    _refused(matchConditions=[{"name": f"a{at}", "expression": "true"} for at in range(65)]),
    _refused(
        variables=[{"name": "a", "expression": "1"}], matchConditions=[{"name": "a", "expression": "variables.a == 1"}]
    ),
    _refused(variables=[{"name": "", "expression": ""}]),
    _refused(variables=[{"name": "a-b", "expression": "1"}, {"name": "for", "expression": "x"}]),
    _refused(variables=[{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}]),
    _refused(variables=[{"name": "a", "expression": "1"}], validations=[{"expression": "variables.a == 'x'"}]),
    _refused(variables=[{"name": "a", "expression": "[1]"}], validations=[{"expression": "variables.a == ['x']"}]),
    _refused(variables=[{"name": "a", "expression": "{'a': 1}"}], validations=[{"expression": "variables.a.b == ''"}]),
    _refused(variables=[{"name": "a", "expression": "object"}], validations=[{"expression": "variables.a"}]),
    _refused(variables=[{"name": "a", "expression": "ip('1.1.1.1')"}], validations=[{"expression": "variables.a"}]),
    _refused(variables=[{"name": "a", "expression": "x"}], validations=[{"expression": "variables.a + 1"}]),
    _refused(validations=None, auditAnnotations=[{"key": "k", "valueExpression": "1"}]),
    _refused(validations=None, auditAnnotations=[{"key": "k", "valueExpression": "object.data.mode"}]),
    _refused(validations=None, auditAnnotations=[{"key": "", "valueExpression": " "}]),
    _refused(validations=None, auditAnnotations=[{"key": "a b", "valueExpression": "  1 +  "}]),
    _refused(validations=None, auditAnnotations=[{"key": "k", "valueExpression": "'" + "x" * 5200 + "'"}]),
    _refused(validations=None, auditAnnotations=[{"key": "k", "valueExpression": "'a'"}] * 2),
    _refused(validations=None, auditAnnotations=[{"key": f"k{at}", "valueExpression": "'a'"} for at in range(21)]),
    _renamed("policy", "Not_Good"),
    _renamed("binding", "Not_Good"),
    _unbound(policyName=""),
    _unbound(policyName="Not_Good"),
    _unbound(validationActions=[]),
    _unbound(validationActions=["Deny", "Warn"]),
    _unbound(validationActions=["Deny", "Deny", "Log"]),
    _unbound(paramRef={}),
    _unbound(paramRef={"name": "a/b", "parameterNotFoundAction": "Perhaps"}),
    _unbound(paramRef={"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"}),
    _unbound(paramRef={"selector": {"matchLabels": {"-": "x"}}, "parameterNotFoundAction": "Deny"}),
    _unbound(matchResources={"matchPolicy": "Some", "resourceRules": [{}]}),
)

NAMESPACE: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {
        "name": "default",
        "uid": "5a3d7a6c-9f43-4a6e-8f0e-6f1d1f6b7a11",
        "resourceVersion": "12",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"kubernetes.io/metadata.name": "default"},
        "managedFields": [],
    },
    "spec": {"finalizers": ["kubernetes"]},
    "status": {"phase": "Active"},
}
USER: Final = UserInfo("admin", groups=("system:masters", "system:authenticated"))


def request(case: Case, obj: dict[str, Any], old: dict[str, Any] | None) -> PolicyRequest:
    """The request of a case, as a dry run of the administrator."""
    return PolicyRequest(
        operation="UPDATE" if case.update else "CREATE",
        group="",
        version="v1",
        resource="configmaps",
        kind="ConfigMap",
        object=obj,
        old_object=old,
        name=case.name,
        namespace="default",
        user=USER,
        dry_run=True,
        options={"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"]},
    )


def stored(case: Case, mode: str = "") -> dict[str, Any]:
    """The object as the server sees it: with what it fills in itself."""
    made = config_map(case)
    made["metadata"] |= {
        "uid": "0f6f4dd0-8f9f-4f8b-b0c9-6a7f44a5e1a0",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [{"manager": "test", "operation": "Update"}],
    }
    if mode:
        made["data"]["mode"] = mode
    return made


def line(name: str, status: int, answer: dict[str, Any], warnings: list[str]) -> str:
    """An answer as it is recorded."""
    kept = answer if status >= 400 else None
    return json.dumps({"case": name, "status": kept, "warnings": warnings}, sort_keys=True) + "\n"
