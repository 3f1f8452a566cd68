"""Definitions of foreign kinds that deploy/ uses: those of cert-manager and of the Prometheus operator.

Written here, with the fields that deploy/ uses and no others, so that a strict server finds a misspelt one. Sources:
cert-manager, API reference cert-manager.io/v1; Prometheus operator, API reference monitoring.coreos.com/v1.
"""

from typing import Any

_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_YES = {"type": "boolean"}


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": list(required)} if required else {})


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_SECRET_KEY = _object(("key",), name=_TEXT, key=_TEXT, optional=_YES)
_LABELS = _object(matchLabels=_TEXTS)
_DURATION = {"type": "string", "pattern": "^(0|(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"}
_CERTIFICATE = _object(
    ("secretName", "issuerRef"),
    secretName=_TEXT,
    isCA=_YES,
    commonName=_TEXT,
    dnsNames=_list(_TEXT),
    duration=_TEXT,
    renewBefore=_TEXT,
    usages=_list({"type": "string", "enum": ["digital signature", "key encipherment", "server auth", "client auth"]}),
    privateKey=_object(
        algorithm={"type": "string", "enum": ["RSA", "ECDSA", "Ed25519"]},
        size=_WHOLE,
        rotationPolicy={"type": "string", "enum": ["Never", "Always"]},
    ),
    issuerRef=_object(("name",), name=_TEXT, kind=_TEXT, group=_TEXT),
)
_ISSUER = _object(selfSigned=_object(), ca=_object(("secretName",), secretName=_TEXT))
_MONITOR = _object(
    ("selector", "endpoints"),
    selector=_LABELS,
    endpoints=_list(
        _object(
            port=_TEXT,
            path=_TEXT,
            scheme={"type": "string", "enum": ["http", "https"]},
            interval=_DURATION,
            tlsConfig=_object(
                serverName=_TEXT,
                ca=_object(secret=_SECRET_KEY, configMap=_SECRET_KEY),
                cert=_object(secret=_SECRET_KEY),
                keySecret=_SECRET_KEY,
                certFile=_TEXT,
                keyFile=_TEXT,
            ),
        )
    ),
)
_EXPRESSION = _object(
    ("key", "operator"),
    key=_TEXT,
    operator={"type": "string", "enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
    values=_list(_TEXT),
)
_POD_MONITOR = _object(
    ("selector", "podMetricsEndpoints"),
    selector=_object(matchLabels=_TEXTS, matchExpressions=_list(_EXPRESSION)),
    podMetricsEndpoints=_list(
        _object(port=_TEXT, path=_TEXT, scheme={"type": "string", "enum": ["http", "https"]}, interval=_DURATION)
    ),
)
_ALERT = _object(
    ("expr",),
    alert=_TEXT,
    expr={"x-kubernetes-int-or-string": True},
    labels=_TEXTS,
    annotations=_TEXTS,
    **{"for": _DURATION},
)
_ALERTS = _object(groups=_list(_object(("name",), name={"type": "string", "minLength": 1}, rules=_list(_ALERT))))


def _definition(group: str, kind: str, plural: str, spec: dict[str, Any]) -> dict[str, Any]:
    schema = _object(("spec",), apiVersion=_TEXT, kind=_TEXT, metadata={"type": "object"}, spec=spec)
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [version],
        },
    }


def definitions() -> list[dict[str, Any]]:
    """Every definition, to be posted."""
    return [
        _definition("cert-manager.io", "Certificate", "certificates", _CERTIFICATE),
        _definition("cert-manager.io", "Issuer", "issuers", _ISSUER),
        _definition("monitoring.coreos.com", "ServiceMonitor", "servicemonitors", _MONITOR),
        _definition("monitoring.coreos.com", "PodMonitor", "podmonitors", _POD_MONITOR),
        _definition("monitoring.coreos.com", "PrometheusRule", "prometheusrules", _ALERTS),
    ]
