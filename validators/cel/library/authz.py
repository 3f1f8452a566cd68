"""Library ``authz``: declared as in every environment, although rules have no ``authorizer`` to call it on.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes authorizer library".
"""

from ovnguard.validators.cel.types.overload_declaration import Overload, overload


def declarations() -> list[Overload]:
    """Return all overloads of this library. Without an authorizer none of them can run."""
    return [
        overload("authorizer_path", "Authorizer.path(string) -> PathCheck", None),
        overload("authorizer_group", "Authorizer.group(string) -> GroupCheck", None),
        overload("authorizer_serviceaccount", "Authorizer.serviceAccount(string, string) -> Authorizer", None),
        overload("groupcheck_resource", "GroupCheck.resource(string) -> ResourceCheck", None),
        overload("resourcecheck_subresource", "ResourceCheck.subresource(string) -> ResourceCheck", None),
        overload("resourcecheck_namespace", "ResourceCheck.namespace(string) -> ResourceCheck", None),
        overload("resourcecheck_name", "ResourceCheck.name(string) -> ResourceCheck", None),
        overload("pathcheck_check", "PathCheck.check(string) -> Decision", None),
        overload("resourcecheck_check", "ResourceCheck.check(string) -> Decision", None),
        overload("decision_errored", "Decision.errored() -> bool", None),
        overload("decision_error", "Decision.error() -> string", None),
        overload("decision_allowed", "Decision.allowed() -> bool", None),
        overload("decision_reason", "Decision.reason() -> string", None),
    ]


def selector_declarations() -> list[Overload]:
    """Return the selectors of the library, since 1.31."""
    return [
        overload("authorizer_fieldselector", "ResourceCheck.fieldSelector(string) -> ResourceCheck", None),
        overload("authorizer_labelselector", "ResourceCheck.labelSelector(string) -> ResourceCheck", None),
    ]
