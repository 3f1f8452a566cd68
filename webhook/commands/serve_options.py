"""The options of ``ovnguard-webhook serve``."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options by their names on the command line."""

    host: str
    port: int
    workers: int
    connections: int
    cert: Path | None = None
    key: Path | None = None
    self_signed: Path | None = None
    san: tuple[str, ...] = ()
    authority_secret: str | None = None
    service: str | None = None
    registration: str = "ovnguard"
    client_ca: Path | None = None
    client_name: tuple[str, ...] = ()
    client_network: tuple[str, ...] = ()
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    metrics_client_ca: Path | None = None
    manifests: tuple[str, ...] = ()
    kubeconfig: Path | None = None
    in_cluster: bool = False
    operator: tuple[str, ...] = ()
    cluster_manager: tuple[str, ...] = ()
    feature_set: str | None = None
    feature_gates: tuple[str, ...] = ()
    sync_seconds: float = 20.0
