"""Options of the `rollout` commands: what the cluster shall run, and where its objects are."""

from dataclasses import dataclass

import click

from ovnguard.reconciler.commands.loop_options import connected
from ovnguard.reconciler.commands.options import check_name, option_group
from ovnguard.reconciler.rollout.loop.rollout_reader import RolloutTarget
from ovnguard.validators.cluster.client_protocol import ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient
from ovnguard.validators.network.cluster.release import release_of


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """What the cluster shall run, and for a hosted one how to reach its ``management`` cluster, where it is another."""

    target: RolloutTarget
    management: ClusterOptions | None

    def control(self, guest: KubernetesClient) -> KubernetesClient:
        """Return the client of the cluster of the control plane; raise click.UsageError when no setting names one."""
        return guest if self.management is None else connected(self.management, "--management-kubeconfig")


def _rollout(
    release: str,
    hosted_namespace: str,
    node_port: int | None,
    management_kubeconfig: str | None,
    management_context: str | None,
) -> RolloutOptions:
    if release_of(release) is None:
        raise click.BadParameter(f"{release!r} is not a version such as 4.14.20", param_hint="--release")
    if hosted_namespace:
        check_name(hosted_namespace, "namespace", "--hosted-namespace")
    for_hosted = {"--sbdb-node-port": node_port, "--management-kubeconfig": management_kubeconfig}
    option = next((name for name, value in for_hosted.items() if value is not None), None)
    if option is not None and not hosted_namespace:
        raise click.UsageError(f"{option} needs --hosted-namespace")
    target = RolloutTarget(release, hosted_namespace, node_port)
    apart = management_kubeconfig is not None or management_context is not None
    management = ClusterOptions(management_kubeconfig, management_context, "ovnguard-reconciler") if apart else None
    return RolloutOptions(target, management)


with_rollout = option_group(
    "rollout",
    _rollout,
    click.option(
        "--release",
        envvar="RELEASE_VERSION",
        required=True,
        metavar="VERSION",
        help="What to run, such as 4.14.20.",
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
    click.option("--management-kubeconfig", metavar="FILE", help="HyperShift: kubeconfig of the management cluster."),
    click.option("--management-context", metavar="NAME", help="Its context."),
)
"""Adds the options of `RolloutOptions`, which the command gets as ``rollout``."""
