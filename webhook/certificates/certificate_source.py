"""The certificate that is served, wherever it comes from: given files, a folder of our own, or the replicas' Secret."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validators.cluster.client_protocol import ClusterError
from webhook.certificates.self_signed import CertificateFiles, SelfSigned
from webhook.commands.cluster_view import connected
from webhook.commands.errors import InputError

if TYPE_CHECKING:
    from webhook.commands.serve import Wishes


def _nothing() -> None:
    """There is nothing to be done."""


def _unwatched() -> Callable[[], bool]:
    """Nothing keeps the files fresh, so nothing can fail to."""
    return lambda: True


@dataclass(frozen=True, slots=True)
class Identity:
    """The files that are served. `webhook.server.tls_context.ContextCache` calls ``renew``; ``keep`` begins in a worker
    what keeps the files fresh and returns whether it is at work, ``close`` takes away what is of no use afterwards.
    """

    files: CertificateFiles
    renew: Callable[[], bool] | None = None
    keep: Callable[[], Callable[[], bool]] = _unwatched
    close: Callable[[], None] = _nothing


def identity(wishes: "Wishes") -> Identity:
    """Return what is served. Raises InputError and click.UsageError."""
    ways = sum(each is not None for each in (wishes.cert, wishes.self_signed, wishes.authority_secret))
    if ways != 1 or (wishes.cert is None) != (wishes.key is None):
        raise click.UsageError("Give either --cert with --key, or --self-signed, or --authority-secret.")
    if wishes.authority_secret is not None:
        return _agreed(wishes)
    if wishes.self_signed is not None:
        return _self_signed(wishes.self_signed, (*wishes.san, wishes.host))
    assert wishes.cert is not None
    assert wishes.key is not None
    return Identity(CertificateFiles(wishes.cert, wishes.key))


def _self_signed(folder: Path, names: tuple[str, ...]) -> Identity:
    try:
        made = SelfSigned(folder, names)
        made.ensure()
    except OSError as error:
        raise InputError(f"{folder}: certificates cannot be written: {error.strerror}") from None
    return Identity(made.files, made.ensure)


def _agreed(wishes: "Wishes") -> Identity:
    from webhook.certificates.authority_secret import Agreement, Place  # noqa: PLC0415 - as above
    from webhook.certificates.certificate_renewer import AuthorityFiles, Keeper  # noqa: PLC0415 - most servers are given their files

    if wishes.service is None:
        raise click.UsageError("--authority-secret needs --service, the Service that API servers call.")
    if not wishes.in_cluster and wishes.kubeconfig is None:
        raise click.UsageError("--authority-secret needs --in-cluster or --kubeconfig.")
    place = Place(
        _namespaced("--authority-secret", wishes.authority_secret or ""),
        _namespaced("--service", wishes.service),
        wishes.registration,
    )
    connect = connected(wishes.kubeconfig, wishes.in_cluster)

    def agree() -> Agreement:
        return Agreement(connect(), place)

    def keep() -> Callable[[], bool]:
        keeper = Keeper(agree, served)
        keeper.start()
        return keeper.alive

    served = AuthorityFiles()
    try:
        served.take(agree().settle(datetime.now(UTC)))
    except ClusterError as error:
        served.close()
        raise InputError(f"--authority-secret {wishes.authority_secret}: {error}") from None
    return Identity(served.files, None, keep, served.close)


def _namespaced(option: str, text: str) -> tuple[str, str]:
    namespace, _, name = text.partition("/")
    if not (_is_name(namespace) and _is_name(name)):
        raise click.UsageError(f"{option}: NAMESPACE/NAME is expected, not {text!r}.")
    return namespace, name


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 253 and all(char.isascii() and (char.isalnum() or char in "-.") for char in text)
