"""Options of the `rollout` commands: what the cluster shall run, and where its objects are."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from reconciler.rollout.loop.rollout_reader import RolloutTarget
from validators.cluster.client_protocol import ClusterConfigError, ClusterOptions
from validators.cluster.kubernetes_client import KubernetesClient, connect
from validators.network.cluster.release import release_of
from validators.network.declared.node_values import valid_name


@dataclass(frozen=True, slots=True)
class ManagementOptions:
    """How to reach the management cluster of a hosted one, which is not given for others."""

    kubeconfig: str | None
    context: str | None

    def client(self, guest: KubernetesClient) -> KubernetesClient:
        """Return the client of the cluster of the control plane; raise click.UsageError when no setting names one."""
        if self.kubeconfig is None and self.context is None:
            return guest
        try:
            return connect(ClusterOptions(self.kubeconfig, self.context, "ovnguard-reconciler"))
        except ClusterConfigError as error:
            raise click.UsageError(f"--management-kubeconfig: {error}") from error


def with_target(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a `RolloutTarget`, the command's ``target``, and of `ManagementOptions`, ``management``."""

    @functools.wraps(command)
    def with_options(
        release: str,
        image: str,
        control_plane_image: str,
        hosted_namespace: str,
        node_port: int | None,
        management_kubeconfig: str | None,
        management_context: str | None,
        **rest: Any,
    ) -> int:
        _check(
            release, hosted_namespace, {"--sbdb-node-port": node_port, "--management-kubeconfig": management_kubeconfig}
        )
        target = RolloutTarget(release, image, control_plane_image, hosted_namespace, node_port)
        return command(target=target, management=ManagementOptions(management_kubeconfig, management_context), **rest)

    options = (
        click.option(
            "--release",
            envvar="RELEASE_VERSION",
            required=True,
            metavar="VERSION",
            help="What to run, such as 4.14.20.",
        ),
        click.option(
            "--image", envvar="OVN_IMAGE", default="", metavar="IMAGE", help="OVN-Kubernetes of that release."
        ),
        click.option(
            "--control-plane-image",
            envvar="OVN_CONTROL_PLANE_IMAGE",
            default="",
            metavar="IMAGE",
            help="Another image for masters and control plane.",
        ),
        click.option(
            "--hosted-namespace",
            default="",
            metavar="NAMESPACE",
            help="HyperShift: where masters and control plane are in the management cluster.",
        ),
        click.option(
            "--sbdb-node-port",
            "node_port",
            type=click.IntRange(1, 65535),
            metavar="PORT",
            help="HyperShift: nodes reach the southbound database at this port, and there is no route.",
        ),
        click.option(
            "--management-kubeconfig", metavar="FILE", help="HyperShift: kubeconfig of the management cluster."
        ),
        click.option("--management-context", metavar="NAME", help="Its context."),
    )
    wrapped: Callable[..., int] = with_options
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


def _check(release: str, hosted: str, for_hosted: Mapping[str, object]) -> None:
    if release_of(release) is None:
        raise click.BadParameter(f"{release!r} is not a version such as 4.14.20", param_hint="--release")
    if hosted and not valid_name(hosted):
        raise click.BadParameter(f"{hosted!r} is not a valid namespace name", param_hint="--hosted-namespace")
    option = next((name for name, value in for_hosted.items() if value is not None), None)
    if option is not None and not hosted:
        raise click.UsageError(f"{option} needs --hosted-namespace")
