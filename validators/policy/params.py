"""Finds the parameters that a binding gives to its policy, among the known objects.

Source: apiserver ``pkg/admission/plugin/policy/generic`` (CollectParams).
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ovnguard.validators.policy.match import labels_of, selects
from ovnguard.validators.policy.policy import ParamKind, ParamRef

Params: TypeAlias = Sequence[Mapping[str, Any]]


class ParamError(LookupError):
    """There are no parameters. The text is the API server's."""


def collect(
    kind: ParamKind | None, ref: ParamRef | None, known: Params, namespace: str
) -> Sequence[Mapping[str, Any] | None]:
    """Return the parameters to judge with, or a single None if the policy or binding asks for none.

    ``known`` are all objects that may be parameters. Parameters are namespaced if a known object of their kind has a
    namespace, or if there are none and the reference names one. ``namespace`` is that of the request. Raises
    `ParamError`.
    """
    if kind is None or ref is None:
        return [None]
    found = [one for one in known if (one.get("apiVersion"), one.get("kind")) == (kind.api_version, kind.kind)]
    place = _namespace(ref, found, namespace)
    held = [one for one in found if place is None or _meta(one, "namespace") == place]
    if ref.name:
        chosen = [one for one in held if _meta(one, "name") == ref.name][:1]
    else:
        chosen = [one for one in held if ref.selector is not None and selects(ref.selector, labels_of(one))]
    if not chosen and ref.not_found == "Deny":
        raise ParamError("no params found for policy binding with `Deny` parameterNotFoundAction")
    return chosen


def _namespace(ref: ParamRef, found: Params, namespace: str) -> str | None:
    """Return the namespace of the parameters, None if they are cluster-scoped."""
    namespaced = any(_meta(one, "namespace") for one in found) or (not found and bool(ref.namespace))
    if not namespaced:
        if ref.namespace:
            raise ParamError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        return None
    if not ref.namespace and not namespace:
        raise ParamError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
    return ref.namespace or namespace


def _meta(obj: Mapping[str, Any], key: str) -> str:
    metadata = obj.get("metadata")
    return str(metadata.get(key) or "") if isinstance(metadata, Mapping) else ""
