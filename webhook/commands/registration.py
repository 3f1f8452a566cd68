"""The two webhook configurations that make the API server ask us, as YAML with the reasons beside the settings.

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
"""Where ovnguard runs unless something else is said."""
BREAK_GLASS: Final = "ovnguard:break-glass"
"""Members of this group are not asked about; whoever may impersonate it can break the glass."""
EXEMPT_LABEL: Final = "ovnguard.io/exempt"
"""A namespace with this label, of whatever value, is passed over."""

# Our own writes are what was judged already; without this a webhook that is away would stop what brings it back.
_ACCOUNTS: Final = ("ovnguard-webhook", "ovnguard-reconciler", "ovnguard-reconciler-cluster")
_GLASS: Final = """\
- name: break-glass
  expression: "!('$glass' in request.userInfo.?groups.orValue([]))"
"""
_EXEMPT: Final = """\
- name: not-our-own
  expression: "!(request.userInfo.?username.orValue('') in [$accounts])"
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
    """The URL, service or authority cannot be registered; the message says why."""


@dataclass(frozen=True, slots=True)
class Client:
    """How the API server reaches us: a URL, or a service by namespace and name; and the PEM that it must trust."""

    url: str = ""
    service: tuple[str, str] | None = None
    authority: bytes | None = None

    def lines(self, path: str) -> list[str]:
        """The members of ``clientConfig`` for one route. Raises BadClient for a client that no API server takes."""
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

    Without an authority ``caBundle`` is left to an injector (cert-manager's, for one), to the webhook itself or to the
    system's roots. ``namespace`` is where ovnguard runs: its service accounts there are passed over, and so is what
    the namespace holds.
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
