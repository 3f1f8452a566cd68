"""The two webhook configurations that make the API server ask us, as YAML with the reasons beside the settings.

Source of the fields: Kubernetes API reference, ``admissionregistration.k8s.io/v1``.
"""

import base64
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from cryptography import x509


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


def render(client: Client) -> tuple[str, str]:
    """Return the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration for ``client``.

    Without an authority ``caBundle`` is left to an injector (cert-manager's, for one) or to the system's roots.
    """
    members = {path: "\n".join("      " + line for line in client.lines(f"/{path}")) for path in ("validate", "mutate")}
    templates = files("webhook") / "templates"
    validating, mutating = (
        Template((templates / name).read_text(encoding="utf-8")).substitute(members)
        for name in ("validating.yaml", "mutating.yaml")
    )
    return validating, mutating


def _bundle(pem: bytes) -> str:
    try:
        x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise BadClient("the file given as --ca holds no certificate in PEM") from None
    return base64.b64encode(pem).decode()
