"""Random policies that ask what users may do, with random rights, for the API server's code and for ovnguard.

The seed makes a question repeatable. Reasons of decisions are not asked for: the server names the binding there.
"""

import random
from typing import Any, Final

from tests.support.differential.policies import PolicyQuestions

_VERBS: Final = ("get", "list", "create", "delete", "use")
_GROUPS: Final = ("", "apps", "example.com")
_RESOURCES: Final = ("pods", "deployments", "widgets")
_SUBRESOURCES: Final = ("status", "log")
_NAMESPACES: Final = ("default", "prod", "x-1", "")
_NAMES: Final = ("w1", "w2", "other")
_PATHS: Final = ("/healthz", "/api/v1", "/metrics", "/metrics/cadvisor")
_SELECTORS: Final = (".fieldSelector('metadata.name=w1')", ".labelSelector('app in (web)')", ".labelSelector('a=(')")
_ACCOUNTS: Final = (("default", "robot"), ("prod", "robot"), ("prod", "reader.v1"))
_ENDS: Final = ("allowed()", "allowed()", "allowed()", "errored()", "error() == ''")
_JOINS: Final = ("({}) && ({})", "({}) || ({})", "({}) ? ({}) : true", "!({}) || ({})")


class RightsQuestions:
    """Makes questions: those of `PolicyQuestions` with ``rights``, and with expressions about them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._others = PolicyQuestions(seed)

    def question(self) -> dict[str, Any]:
        """One question, whose policy matches every request."""
        rng, made = self.random, self._others.question()
        everything = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}
        spec: dict[str, Any] = {"matchConstraints": {"resourceRules": [everything]}}
        if rng.random() < 0.4:
            spec["matchConditions"] = [{"name": "c", "expression": self._condition()}]
        if rng.random() < 0.4:
            spec["variables"] = [{"name": "v", "expression": self._condition()}]
        spec["validations"] = [{"expression": self._condition()} for _ in range(rng.choice((1, 1, 2)))]
        if "variables" in spec:
            spec["validations"].append({"expression": f"variables.v || ({self._condition()})"})
        if rng.random() < 0.3:
            spec["auditAnnotations"] = [{"key": "k", "valueExpression": f"string({self._condition()})"}]
        spec["failurePolicy"] = rng.choice(("Fail", "Ignore"))
        made["policy"]["spec"] = spec
        for binding in made["bindings"]:
            binding["spec"] = {key: binding["spec"][key] for key in ("policyName", "validationActions")}
        made["rights"] = [self._right(made["request"]["username"]) for _ in range(rng.choice((0, 1, 2, 4)))]
        return made

    def _right(self, username: str) -> dict[str, Any]:
        rng = self.random
        accounts = [f"system:serviceaccount:{namespace}:{name}" for namespace, name in _ACCOUNTS]
        made: dict[str, Any] = {
            "user": rng.choice((username, username, username, *accounts)),
            "verbs": self._some(_VERBS),
            **{key: [] for key in ("groups", "resources", "names", "paths", "namespaces")},
        }
        if rng.random() < 0.3:
            return made | {"paths": rng.sample((*_PATHS, "/metrics*", "/api/*", "*"), 2)}
        below = [f"{one}/{rng.choice(_SUBRESOURCES)}" for one in (*_RESOURCES, "*")]
        made |= {"groups": self._some(_GROUPS), "resources": self._some((*_RESOURCES, *below))}
        if rng.random() < 0.3:
            made["names"] = rng.sample(_NAMES, rng.choice((1, 2)))
        if rng.random() < 0.4:
            made["namespaces"] = rng.sample(_NAMESPACES[:3], rng.choice((1, 2)))
        return made

    def _some(self, values: tuple[str, ...]) -> list[str]:
        rng = self.random
        return ["*"] if rng.random() < 0.3 else rng.sample(values, rng.randrange(1, len(values)))

    def _condition(self, depth: int = 0) -> str:
        rng = self.random
        if depth < 2 and rng.random() < 0.35:
            return rng.choice(_JOINS).format(self._condition(depth + 1), self._condition(depth + 1))
        return f"{self._asked()}.check('{rng.choice(_VERBS)}').{rng.choice(_ENDS)}"

    def _asked(self) -> str:
        rng = self.random
        who = "authorizer"
        if rng.random() < 0.3:
            account = rng.choice((*_ACCOUNTS, ("Prod", "robot"), ("prod", "Robot")))
            who = "authorizer.serviceAccount('{}', '{}')".format(*account)
        if rng.random() < 0.2:
            return f"{who}.path('{rng.choice((*_PATHS, '/', ' '))}')"
        if rng.random() < 0.25:
            asked = "authorizer.requestResource"
        else:
            asked = f"{who}.group('{rng.choice(_GROUPS)}').resource('{rng.choice((*_RESOURCES, *_RESOURCES, ''))}')"
        for key, values in (("subresource", _SUBRESOURCES), ("namespace", _NAMESPACES), ("name", _NAMES)):
            if rng.random() < 0.35:
                asked += f".{key}('{rng.choice(values)}')"
        return asked + (rng.choice(_SELECTORS) if rng.random() < 0.1 else "")
