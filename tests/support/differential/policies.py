"""Random policies with bindings, parameters and requests, as questions to the API server's code and to ovnguard.

The seed makes a question repeatable. Expressions are taken from pieces that read data of any shape, and combined.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.policy.type_check import KnownKind, published
from tests.support.differential.generate import TEXTS

_NAMES: Final = ("default", "prod", "x-1")
_LABELS: Final = ("app", "tier", "example.com/team", "kubernetes.io/metadata.name")
_LABEL_VALUES: Final = ("web", "front", "net", "", "default", "prod")
_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -3,
    80,
    2**40,
    1.5,
    -0.25,
    *TEXTS,
    [],
    [1, 2],
    ["a", "a"],
    {},
    {"a": 1},
)
_FIELDS: Final = ("mode", "size", "list", "map", "deep", "cidr", "missing")
_RESOURCES: Final = (["*/*"], ["widgets"], ["widgets/*"], ["*/status"], ["gadgets", "namespaces"])
_PARAM_KIND: Final = {"apiVersion": "example.com/v1", "kind": "Limit"}

_ROOTS: Final = ("object", "oldObject", "params")
_BOOLEANS: Final = (
    "true",
    "false",
    "has({root}.spec.{field})",
    "has({root}.spec)",
    "{root} == null",
    "{root}.spec.{field} == {literal}",
    "{root}.spec.{field} != {root2}.spec.{field}",
    "{root}.?spec.?{field}.hasValue()",
    "{root}.?spec.?{field}.orValue({literal}) == {literal2}",
    "{root}.spec.{field} in [{literal}, {literal2}]",
    "{root}.spec.{field} > {literal}",
    "{root}.spec.{field} <= {root2}.spec.{field2}",
    "{root}.spec.{field}.size() > {number}",
    "size({root}.spec.{field}) == {number}",
    "{root}.spec.{field}.startsWith({text})",
    "{root}.spec.{field}.matches({pattern})",
    "{root}.spec.{field}.exists(x, x == {literal})",
    "{root}.spec.{field}.all(x, x != {literal})",
    "{root}.spec.list.all(i, v, i < 2 || v == {literal})",
    "{root}.spec.map.all(k, k == 'a')",
    "{root}.spec.{field}.filter(x, x == {literal}).size() == {number}",
    "'a' in {root}.spec.map",
    "'app' in {root}.metadata.labels",
    "{root}.metadata.labels['app'] == 'web'",
    "{root}.metadata.name == request.name",
    "request.operation == 'CREATE'",
    "request.operation in ['UPDATE', 'DELETE']",
    "request.namespace == 'default'",
    "request.name.startsWith('w')",
    "request.dryRun",
    "has(request.subResource)",
    "request.userInfo.username == 'alice'",
    "'admins' in request.userInfo.groups",
    "request.userInfo.extra['scope'].exists(s, s == 'a')",
    "request.resource.resource == 'widgets' && request.kind.kind == 'Widget'",
    "namespaceObject.metadata.name == 'default'",
    "namespaceObject.metadata.labels['tier'] == 'front'",
    "has(namespaceObject.metadata.labels)",
    "namespaceObject == null",
    "int({root}.spec.{field}) > {number}",
    "double({root}.spec.{field}) < 1.5",
    "string({root}.spec.{field}) == {text}",
    "{number} / int({root}.spec.size) == 1",
    "{root}.spec.size + {number} > 3",
    "{root}.spec.size * 9223372036854775807 > 0",
    "isIP({root}.spec.mode)",
    "isCIDR({root}.spec.cidr)",
    "cidr({root}.spec.cidr).containsIP('10.1.2.3')",
    "quantity(string({root}.spec.size) + 'Gi').isGreaterThan(quantity('5Gi'))",
    "duration(string({root}.spec.size) + 's') > duration('2s')",
    "type({root}.spec.{field}) == string",
    "{root}.spec.deep.a.b == {literal}",
    "{root}.spec['mode'] == {text}",
    "{root}.spec.list[{number}] == {literal}",
    "sets.contains([{literal}, {literal2}], [{root}.spec.{field}])",
    "{root}.spec.list.isSorted()",
    "{root}.spec.list.sum() == {number}",
    "[1, 2, {number}].max() == 2",
    "'%s-%d'.format([{root}.spec.mode, {number}]) == 'a-1'",
    "{variable} == {literal}",
    "variables.{name}",
    "has(variables.{name})",
    "variables.{name} == {literal}",
    "lists.range({loops}).all(i, i >= 0)",
)
_JOINS: Final = ("({}) && ({})", "({}) || ({})", "({}) ? ({}) : true", "!({}) || ({})")
_STRINGS: Final = (
    "'it is ' + string({root}.spec.{field})",
    "{root}.spec.{field} + ' is wrong'",
    "'plain'",
    "'  '",
    "'a\\nb'",
    "string({root}.spec.size)",
    "request.name + '/' + request.namespace",
    "'x'.replace('x', {root}.spec.mode)",
    "string(variables.{name})",
    "string({root}.metadata.labels.size())",
)
_VARIABLES: Final = (
    "{root}.spec.{field}",
    "has({root}.spec.{field}) ? {root}.spec.{field} : {literal}",
    "{root}.spec.list.map(x, x)",
    "{number} / {number2}",
    "1 + {number}",
    "'a' + {text}",
    "{{'a': [1]}}",
    "optional.of({number})",
    "lists.range({loops})",
    "variables.{name}",
)
_SCHEMAS: Final[tuple[Mapping[str, Any], ...]] = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "string", "format": "date-time"},
    {"type": "array", "items": {"type": "string"}},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}},
    {"x-kubernetes-int-or-string": True},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
)
_LITERALS: Final = ("1", "-3", "80", "1.5", "true", "null", "'a'", "'abc'", "''", "[1, 2]", "{'a': 1}", "2u")


class PolicyQuestions:
    """Makes questions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._parameters, self._declared = False, 0

    def question(self) -> dict[str, Any]:
        """One question: ``policy``, ``bindings``, ``params``, ``namespace``, ``request``."""
        rng = self.random
        request = self._request()
        cluster = rng.random() < 0.2
        bindings = [self._binding(f"b{at}", cluster) for at in range(rng.choice((1, 1, 1, 2, 3)))]
        # the server reads selected parameters in the order of a Go map
        count = 1 if any("selector" in each["spec"].get("paramRef", ()) for each in bindings) else rng.randrange(1, 4)
        kinds = [("Widget", "widgets"), ("Gadget", "gadgets"), ("Limit", "limits")]
        return {
            "policy": self._policy(),
            "kinds": [self._kind(*each) for each in kinds if rng.random() < 0.8],
            "bindings": bindings,
            "params": [self._param(f"p{at}", cluster) for at in range(count)],
            "clusterScopedParams": cluster,
            "namespace": self._namespace(request["namespace"]) if request["namespace"] else None,
            "request": request,
        }

    def _kind(self, kind: str, resource: str) -> dict[str, Any]:
        """A kind whose schema may know the fields that expressions read, in types that they may not expect."""
        rng = self.random
        fields = {name: dict(rng.choice(_SCHEMAS)) for name in _FIELDS if rng.random() < 0.8}
        spec: dict[str, Any] = {"type": "object", "properties": fields}
        schema = published({"type": "object", "properties": {"spec": spec}})
        return KnownKind("example.com", "v1", kind, resource, schema)._asdict()

    def _text(self, templates: Sequence[str]) -> str:
        rng = self.random
        text = rng.choice(templates)
        while rng.random() < 0.95 and not self._declared and "variable" in text:
            text = rng.choice(templates)
        roots = _ROOTS if self._parameters or rng.random() < 0.02 else _ROOTS[:2]
        return text.format(
            root="object" if rng.random() < 0.7 else rng.choice(roots),
            root2=rng.choice(roots),
            field=rng.choice(_FIELDS),
            field2=rng.choice(_FIELDS),
            literal=self._literal(),
            literal2=self._literal(),
            number=rng.choice((0, 1, 2, 3, 10)),
            number2=rng.choice((0, 1, 2)),
            text=rng.choice(("'a'", "'abc'", "''", "'x-1'", "'é'")),
            pattern=rng.choice(("'^a'", "'[a-z]+'", "'.*'", "object.spec.mode", "object.spec.mode + '('")),
            name=f"v{rng.randrange(max(self._declared, 1))}",
            variable=f"dyn(variables.v{rng.randrange(max(self._declared, 1))})",
            loops=rng.choice((0, 3, 100)) if rng.random() < 0.97 else rng.choice((20_000, 400_000)),
        )

    def _literal(self) -> str:
        literal = self.random.choice(_LITERALS)
        return literal if self.random.random() < 0.05 else f"dyn({literal})"

    def _condition(self, depth: int = 0) -> str:
        if depth < 2 and self.random.random() < 0.35:
            return self.random.choice(_JOINS).format(self._condition(depth + 1), self._condition(depth + 1))
        return self._text(_BOOLEANS)

    def _policy(self) -> dict[str, Any]:
        rng = self.random
        spec: dict[str, Any] = {"matchConstraints": self._match(required=True)}
        self._parameters, self._declared = rng.random() < 0.6, 0
        if self._parameters:
            spec["paramKind"] = dict(_PARAM_KIND)
        if rng.random() < 0.6:
            spec["variables"] = []
            for self._declared in range(3):
                spec["variables"].append({"name": f"v{self._declared}", "expression": self._text(_VARIABLES)})
            self._declared = 3
        spec["validations"] = [self._validation() for _ in range(rng.choice((1, 1, 2, 3)))]
        if rng.random() < 0.4:
            count = rng.randrange(1, 4)
            spec["matchConditions"] = [{"name": f"c{at}", "expression": self._condition()} for at in range(count)]
        if rng.random() < 0.4:
            texts = [self._text(_STRINGS) if rng.random() < 0.9 else "null" for _ in range(rng.randrange(1, 3))]
            spec["auditAnnotations"] = [{"key": f"k{at}", "valueExpression": one} for at, one in enumerate(texts)]
        if rng.random() < 0.5:
            spec["failurePolicy"] = rng.choice(("Fail", "Ignore"))
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy"}
        return {**head, "metadata": {"name": "policy.example.com"}, "spec": spec}

    def _validation(self) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {"expression": self._condition()}
        if rng.random() < 0.3:
            made["message"] = rng.choice(("no", "  told so  ", "é\u00a0"))
        if rng.random() < 0.4:
            made["messageExpression"] = self._text(_STRINGS)
        if rng.random() < 0.3:
            made["reason"] = rng.choice(("Forbidden", "Invalid", "RequestEntityTooLarge"))
        return made

    def _binding(self, name: str, cluster: bool) -> dict[str, Any]:
        rng = self.random
        actions = rng.choice((["Deny"], ["Warn"], ["Audit"], ["Warn", "Audit"], ["Deny", "Audit"]))
        spec: dict[str, Any] = {"policyName": "policy.example.com", "validationActions": actions}
        if rng.random() < 0.3:
            spec["matchResources"] = self._match(required=False)
        if rng.random() < 0.7:
            spec["paramRef"] = self._reference(cluster)
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding"}
        return {**head, "metadata": {"name": name}, "spec": spec}

    def _reference(self, cluster: bool) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {"parameterNotFoundAction": rng.choice(("Deny", "Allow"))}
        if rng.random() < 0.6:
            made["name"] = rng.choice(("p0", "p1", "absent"))
        else:
            made["selector"] = self._selector()
        if rng.random() < (0.1 if cluster else 0.4):
            made["namespace"] = rng.choice(_NAMES)
        return made

    def _match(self, *, required: bool) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {}
        if required or rng.random() < 0.6:
            made["resourceRules"] = [self._rule(0.1) for _ in range(rng.choice((1, 1, 2)))]
        if rng.random() < 0.15:
            made["excludeResourceRules"] = [self._rule(0.4)]
        if rng.random() < 0.2:
            made["namespaceSelector"] = self._selector()
        if rng.random() < 0.2:
            made["objectSelector"] = self._selector()
        return made

    def _rule(self, narrow: float) -> dict[str, Any]:
        rng = self.random

        def some(everything: list[str], *narrower: list[str]) -> list[str]:
            return list(rng.choice(narrower)) if rng.random() < narrow else everything

        made: dict[str, Any] = {
            "apiGroups": some(["example.com"], ["*"], ["", "apps"]),
            "apiVersions": some(["v1"], ["*"], ["v1beta1", "v1"]),
            "operations": some(["*"], ["CREATE"], ["UPDATE", "DELETE"]),
            "resources": some(
                ["widgets", "gadgets", "widgets/status"],
                ["*/*"],
                ["widgets"],
                ["widgets/*"],
                ["*/status"],
                ["gadgets", "namespaces"],
            ),
        }
        if rng.random() < narrow:
            made["scope"] = rng.choice(("*", "Cluster", "Namespaced"))
        if rng.random() < narrow / 2:
            made["resourceNames"] = [rng.choice(("w1", "w2"))]
        return made

    def _selector(self) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {}
        if rng.random() < 0.5:
            made["matchLabels"] = {rng.choice(_LABELS): rng.choice(_LABEL_VALUES)}
        if rng.random() < 0.5:
            operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist"))
            one: dict[str, Any] = {"key": rng.choice(_LABELS), "operator": operator}
            if operator.endswith("In"):
                one["values"] = rng.sample(_LABEL_VALUES, rng.randrange(1, 3))
            made["matchExpressions"] = [one]
        return made

    def _labels(self) -> dict[str, str]:
        rng = self.random
        return {key: rng.choice(_LABEL_VALUES) for key in rng.sample(_LABELS[:3], rng.randrange(3))}

    def _namespace(self, name: str) -> dict[str, Any]:
        labels = {**self._labels(), "kubernetes.io/metadata.name": name}
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}

    def _param(self, name: str, cluster: bool) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": name, "labels": self._labels()}
        if not cluster:
            metadata["namespace"] = self.random.choice(_NAMES)
        return {**_PARAM_KIND, "metadata": metadata, "spec": self._spec()}

    def _spec(self) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {}
        for field in rng.sample(_FIELDS[:-1], rng.randrange(len(_FIELDS))):
            made[field] = rng.choice(_VALUES)
        if rng.random() < 0.5:
            made["deep"] = {"a": {"b": rng.choice(_VALUES)}}
        if rng.random() < 0.5:
            made["list"] = [rng.choice(_VALUES) for _ in range(rng.randrange(4))]
        if rng.random() < 0.5:
            made["size"] = rng.randrange(-2, 9)
        return made

    def _request(self) -> dict[str, Any]:
        rng = self.random
        namespace = "" if rng.random() < 0.2 else rng.choice(_NAMES)
        name = rng.choice(("w1", "w2", "other"))
        operation = rng.choice(("CREATE", "CREATE", "UPDATE", "UPDATE", "DELETE"))
        resource, kind = rng.choice((("widgets", "Widget"), ("widgets", "Widget"), ("gadgets", "Gadget")))
        head: Mapping[str, Any] = {"apiVersion": "example.com/v1", "kind": kind}

        def obj() -> dict[str, Any]:
            metadata: dict[str, Any] = {"name": name, **({"namespace": namespace} if namespace else {})}
            if rng.random() < 0.7:
                metadata["labels"] = self._labels()
            return {**head, "metadata": metadata, **({"spec": self._spec()} if rng.random() < 0.95 else {})}

        return {
            "operation": operation,
            "group": "example.com",
            "version": "v1",
            "resource": resource,
            "kind": kind,
            "name": name,
            "namespace": namespace,
            "subresource": "status" if operation == "UPDATE" and rng.random() < 0.15 else "",
            "dryRun": rng.random() < 0.2,
            "object": None if operation == "DELETE" else obj(),
            "oldObject": None if operation == "CREATE" else obj(),
            "username": rng.choice(("alice", "bob", "")),
            "uid": rng.choice(("", "u-1")),
            "groups": rng.choice(([], ["admins"], ["admins", "others"])),
            "extra": rng.choice(({}, {"scope": ["a", "b"]})),
        }
