"""``ovnguard-webhook manifests`` and ``ovnguard-webhook policies``: registrations and policies as YAML."""

import json
from pathlib import Path

import click

from ovnguard.webhook.commands.registration import NAMESPACE, BadClient, Client, render


@click.command(
    epilog="""\b
Examples:
  ovnguard-webhook manifests --url https://127.0.0.1:8443 --ca certs/ca.crt | kubectl apply -f -
  ovnguard-webhook manifests --service ovnguard-system/ovnguard-webhook > registration.yaml
"""
)
@click.option("--url", help="URL at which the API server reaches the webhook.")
@click.option("--service", metavar="NAMESPACE/NAME", help="Service of the webhook, port 443.")
@click.option("--ca", type=click.Path(path_type=Path), help="CA certificates that the API server must trust (PEM).")
@click.version_option(package_name="ovnguard")
def manifests(url: str | None, service: str | None, ca: Path | None) -> None:
    """Print the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration.

    Without --ca there is no caBundle: the webhook itself fills it in, or an injector such as cert-manager's. Objects in
    the namespace of the service, and requests of ovnguard's service accounts, are exempt.
    """
    if (url is None) == (service is None):
        raise click.UsageError("Give either --url or --service.")
    namespace, _, name = (service or "").partition("/")
    if service is not None and not (_is_label(namespace) and _is_label(name)):
        raise click.UsageError(f"--service: NAMESPACE/NAME is expected, not {service!r}.")
    try:
        authority = ca.read_bytes() if ca else None
        client = Client(url or "", (namespace, name) if service else None, authority)
        documents = render(client, namespace or NAMESPACE)
    except OSError as error:
        raise click.ClickException(f"{ca}: cannot be read: {error.strerror}") from None
    except BadClient as error:
        raise click.ClickException(str(error)) from None
    click.echo("---\n".join(documents), nl=False)


@click.command(
    epilog="""\b
Examples:
  ovnguard-webhook policies | kubectl apply -f -
  ovnguard-webhook policies -o json | jq -r '.items[].metadata.name'
"""
)
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.version_option(package_name="ovnguard")
def policies(output: str) -> None:
    """Print the ValidatingAdmissionPolicies with the rules that the API server can check without the webhook.

    The rules that no policy can express are listed with the reason: as comments at the end of YAML, on standard error
    with JSON.
    """
    # the rules are many modules, which `serve` does not need here
    from ovnguard.webhook.commands.policies import as_yaml, documents, not_carried

    if output == "yaml":
        click.echo(as_yaml(), nl=False)
        return
    listed = {"apiVersion": "v1", "kind": "List", "items": documents()}
    click.echo(json.dumps(listed, indent=2))
    for name, reason in not_carried().items():
        click.echo(f"{name}: {reason}", err=True)


def _is_label(text: str) -> bool:
    return 0 < len(text) <= 63 and all(char.isascii() and (char.isalnum() or char == "-") for char in text)
