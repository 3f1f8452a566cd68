"""The certificate that `serve` uses: given files, a local folder, or the Secret that replicas share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.webhook.certificates.self_signed import CertificateFiles, SelfSigned
from ovnguard.webhook.commands.cluster_view import client_factory
from ovnguard.webhook.commands.serve_options import ServeOptions


def _nothing() -> None:
    """Do nothing."""


def _unwatched() -> Callable[[], bool]:
    """No thread renews the files, so none can end."""
    return lambda: True


@dataclass(frozen=True, slots=True)
class ServedCertificate:
    """The files of the certificate.

    `webhook.server.tls_context.ContextCache` calls ``renew``. ``keep``, called in a worker, starts the thread that
    renews the files, and returns a function that reports whether the thread runs. ``close`` removes temporary files.
    """

    files: CertificateFiles
    renew: Callable[[], bool] | None = None
    keep: Callable[[], Callable[[], bool]] = _unwatched
    close: Callable[[], None] = _nothing


def served_certificate(options: ServeOptions) -> ServedCertificate:
    """Return the certificate that the options name. Raises click.ClickException and click.UsageError."""
    ways = sum(each is not None for each in (options.cert, options.self_signed, options.authority_secret))
    if ways != 1 or (options.cert is None) != (options.key is None):
        raise click.UsageError("Give either --cert with --key, or --self-signed, or --authority-secret.")
    if options.authority_secret is not None:
        return _agreed(options)
    if options.self_signed is not None:
        return _self_signed(options.self_signed, (*options.san, options.host))
    assert options.cert is not None
    assert options.key is not None
    return ServedCertificate(CertificateFiles(options.cert, options.key))


def _self_signed(folder: Path, names: tuple[str, ...]) -> ServedCertificate:
    try:
        made = SelfSigned(folder, names)
        made.ensure()
    except OSError as error:
        raise click.ClickException(f"{folder}: certificates cannot be written: {error.strerror}") from None
    return ServedCertificate(made.files, made.ensure)


def _agreed(options: ServeOptions) -> ServedCertificate:
    from ovnguard.webhook.certificates.authority_secret import Agreement, AuthorityPlacement
    from ovnguard.webhook.certificates.certificate_renewer import (  # most servers are given their files
        AuthorityFiles,
        CertificateRenewer,
    )

    if options.service is None:
        raise click.UsageError("--authority-secret needs --service, the Service that API servers call.")
    if not options.in_cluster and options.kubeconfig is None:
        raise click.UsageError("--authority-secret needs --in-cluster or --kubeconfig.")
    placement = AuthorityPlacement(
        namespaced("--authority-secret", options.authority_secret or ""),
        namespaced("--service", options.service),
        options.registration,
    )
    connect = client_factory(options.kubeconfig, options.in_cluster)

    def agree() -> Agreement:
        return Agreement(connect(), placement)

    def keep() -> Callable[[], bool]:
        renewer = CertificateRenewer(agree, served)
        renewer.start()
        return renewer.alive

    served = AuthorityFiles()
    try:
        served.take(agree().settle(datetime.now(UTC)))
    except ClusterError as error:
        served.close()
        raise click.ClickException(f"--authority-secret {options.authority_secret}: {error}") from None
    return ServedCertificate(served.files, None, keep, served.close)


def namespaced(option: str, text: str) -> tuple[str, str]:
    """Return namespace and name of an option's value. Raises click.UsageError."""
    namespace, _, name = text.partition("/")
    if not (_is_name(namespace) and _is_name(name)):
        raise click.UsageError(f"{option}: NAMESPACE/NAME is expected, not {text!r}.")
    return namespace, name


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 253 and all(char.isascii() and (char.isalnum() or char in "-.") for char in text)
