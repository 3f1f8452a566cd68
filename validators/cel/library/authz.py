"""Library ``authz``: what a user or a service account may do.

Rules have no ``authorizer`` to call it on. Policies have one, which answers only where the user's rights are given.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes authorizer library"; apiserver
``pkg/cel/library/authz.go``.
"""

from collections.abc import Callable

from ovnguard.validators.base.object_names import is_dns1123_label, is_dns1123_subdomain
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.authorizer_values import Authorizer, Decision, GroupCheck, PathCheck, ResourceCheck


def _path(asked: Authorizer, path: str) -> PathCheck:
    if not path.strip():
        raise EvalError("path must not be empty")
    return PathCheck(asked.authorize, asked.check._replace(path=path))


def _group(asked: Authorizer, group: str) -> GroupCheck:
    return GroupCheck(asked.authorize, asked.check._replace(group=group))


def _service_account(asked: Authorizer, namespace: str, name: str) -> Authorizer:
    if not is_dns1123_subdomain(name):
        raise EvalError("Invalid service account name")
    if not is_dns1123_label(namespace):
        raise EvalError("Invalid service account namespace")
    return Authorizer(asked.authorize, asked.check._replace(user=f"system:serviceaccount:{namespace}:{name}"))


def _resource(asked: GroupCheck, resource: str) -> ResourceCheck:
    if not resource.strip():
        raise EvalError("resource must not be empty")
    return ResourceCheck(asked.authorize, asked.check._replace(resource=resource))


def _with(field: str) -> Callable[[ResourceCheck, str], ResourceCheck]:
    def changed(asked: ResourceCheck, text: str) -> ResourceCheck:
        return ResourceCheck(asked.authorize, asked.check._replace(**{field: text}))

    return changed


def _same(asked: ResourceCheck, _selector: str) -> ResourceCheck:
    """A selector limits what is asked for; rights, as RBAC has them, do not depend on it."""
    return asked


def _check(asked: Authorizer, verb: str) -> Decision:
    return Decision(asked.authorize, asked.check._replace(verb=verb))


def declarations() -> list[Overload]:
    """Return all overloads of this library."""
    account = "Authorizer.serviceAccount(string, string) -> Authorizer"
    return [
        overload("authorizer_path", "Authorizer.path(string) -> PathCheck", _path),
        overload("authorizer_group", "Authorizer.group(string) -> GroupCheck", _group),
        overload("authorizer_serviceaccount", account, _service_account),
        overload("groupcheck_resource", "GroupCheck.resource(string) -> ResourceCheck", _resource),
        overload(
            "resourcecheck_subresource", "ResourceCheck.subresource(string) -> ResourceCheck", _with("subresource")
        ),
        overload("resourcecheck_namespace", "ResourceCheck.namespace(string) -> ResourceCheck", _with("namespace")),
        overload("resourcecheck_name", "ResourceCheck.name(string) -> ResourceCheck", _with("name")),
        overload("pathcheck_check", "PathCheck.check(string) -> Decision", _check),
        overload("resourcecheck_check", "ResourceCheck.check(string) -> Decision", _check),
        overload("decision_errored", "Decision.errored() -> bool", lambda _decision: False),
        overload("decision_error", "Decision.error() -> string", lambda _decision: ""),
        overload("decision_allowed", "Decision.allowed() -> bool", lambda decision: decision.allowed),
        overload("decision_reason", "Decision.reason() -> string", lambda _decision: ""),
    ]


def selector_declarations() -> list[Overload]:
    """Return the selectors of the library, since 1.31."""
    return [
        overload("authorizer_fieldselector", "ResourceCheck.fieldSelector(string) -> ResourceCheck", _same),
        overload("authorizer_labelselector", "ResourceCheck.labelSelector(string) -> ResourceCheck", _same),
    ]
