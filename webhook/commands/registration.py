"""The two webhook configurations that register ovnguard at the API server, as YAML with a reason for each setting.

Source of the fields: Kubernetes API reference, ``admissionregistration.k8s.io/v1``.
"""

import base64
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from textwrap import indent
from typing import Final

from cryptography import x509

NAMESPACE: Final = "ovnguard-system"
"""The namespace of ovnguard by default."""
BREAK_GLASS: Final = "ovnguard:break-glass"
"""Requests of members of this group are exempt; users who may impersonate it can bypass the webhook in an emergency."""
EXEMPT_LABEL: Final = "ovnguard.io/exempt"
"""Objects in a namespace with this label, with any value, are exempt."""

# ovnguard's own records repeat judged values; without this exemption, a webhook outage would block its own recovery.
_ACCOUNTS: Final = ("ovnguard-reconciler-cluster",)
_GLASS: Final = """\
- name: break-glass
  expression: "!('$glass' in request.userInfo.?groups.orValue([]))"
"""
_EXEMPT: Final = """\
# Not asked when an account of ovnguard changes its own annotations, and neither spec nor labels nor other annotations.
- name: not-our-own
  expression: >-
    !(request.userInfo.?username.orValue('') in [$accounts])
    || request.operation != 'UPDATE'
    || object.?spec != oldObject.?spec
    || object.metadata.?labels.orValue({}) != oldObject.metadata.?labels.orValue({})
    || [[object, oldObject], [oldObject, object]].exists(pair, pair[0].metadata.?annotations.orValue({})
    .exists(key, !key.startsWith('ovnguard.io/') && !(key in ['k8s.ovn.org/node-id', 'k8s.ovn.org/node-subnets'])
    && pair[1].metadata.?annotations[?key] != optional.of(pair[0].metadata.annotations[key])))
"""
_NAMESPACES: Final = """\
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [kube-system, $namespace]
    - key: $label
      operator: DoesNotExist
"""


class BadClient(ValueError):
    """The URL, service or authority cannot be registered; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Client:
    """The webhook's address for the API server (a URL, or a service by namespace and name), and the PEM to trust."""

    url: str = ""
    service: tuple[str, str] | None = None
    authority: bytes | None = None

    def lines(self, path: str) -> list[str]:
        """The members of ``clientConfig`` for one route. Raises BadClient for a client that API servers refuse."""
        if self.service is not None:
            namespace, name = self.service
            lines = ["service:", f"  namespace: {namespace}", f"  name: {name}", f"  path: {path}", "  port: 443"]
        elif self.url.startswith("https://") and not set(self.url) & set("?#@\"' \n"):
            lines = [f'url: "{self.url.rstrip("/")}{path}"']
        else:
            raise BadClient(
                f"{self.url!r} cannot be registered: an https URL without user, query and fragment is needed"
            )
        if self.authority is not None:
            lines.append(f"caBundle: {_bundle(self.authority)}")
        return lines


def render(client: Client, namespace: str = NAMESPACE) -> tuple[str, str]:
    """Return the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration for ``client``.

    Without an authority the webhook itself or an injector (such as cert-manager's) writes ``caBundle``, or the system's
    roots apply. ``namespace`` is that of ovnguard: objects in it, and requests of its service accounts, are exempt.
    """
    members = {path: _indented("\n".join(client.lines(f"/{path}")), 6) for path in ("validate", "mutate")}
    members |= _exemptions(namespace)
    templates = files("webhook") / "templates"
    validating, mutating = (
        Template((templates / name).read_text(encoding="utf-8")).substitute(members)
        for name in ("validating.yaml", "mutating.yaml")
    )
    return validating, mutating


def _exemptions(namespace: str) -> dict[str, str]:
    accounts = ", ".join(f"'system:serviceaccount:{namespace}:{name}'" for name in _ACCOUNTS)
    glass = Template(_GLASS).substitute(glass=BREAK_GLASS)
    return {
        "glass": _indented(glass, 6),
        "exempt": _indented(glass + Template(_EXEMPT).substitute(accounts=accounts), 6),
        "namespaces": _indented(Template(_NAMESPACES).substitute(namespace=namespace, label=EXEMPT_LABEL), 4),
    }


def _indented(text: str, by: int) -> str:
    return indent(text.rstrip("\n"), " " * by)


def _bundle(pem: bytes) -> str:
    try:
        x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise BadClient("the file given as --ca holds no certificate in PEM") from None
    return base64.b64encode(pem).decode()
