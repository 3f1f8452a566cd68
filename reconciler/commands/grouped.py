"""The groups of the reconciler's options; whatever is in none is usual, and `--help` shows it."""

from collections.abc import Mapping
from typing import ClassVar, Final

from ovnguard.reconciler.commands.options import OVNKUBE_OPTIONS
from ovnguard.validators.commandline.grouped_command import GroupedCommand
from ovnguard.validators.commandline.option_groups import Groups

GROUPS: Final[Groups] = {
    "limits of what is written": (
        "--adopt",
        "--max-deletions",
        "--unenforced-policies",
        "--remove-objects",
        "--allow-empty",
        "--max-transaction",
        "--layer2-legacy",
    ),
    "reports and files": ("--report", "--cni-conf-dir", "--default-network"),
    "settings of ovnkube": (
        "--enable-dynamic-udn-allocation",
        "--udn-deletion-grace-period",
        "--advertised-udn-isolation-mode",
        *(f"--{name}" for name in OVNKUBE_OPTIONS),
    ),
    "OVN's databases": (
        "--nb-private-key",
        "--nb-certificate",
        "--nb-ca-cert",
        "--insecure-nb",
        "--audit",
        "--ovn-trace",
    ),
    "FRR": (
        "--frr",
        "--frr-dir",
        "--frr-reload",
        "--vtysh",
        "--frr-pathspace",
        "--vtysh-config-dir",
        "--frr-secrets",
        "--bgp-convergence-budget",
    ),
    "DNS servers of the node": (
        "--coredns-image",
        "--monitor-image",
        "--reload",
        "--health-port",
        "--check-server",
        "--resolv-conf",
    ),
    "the cluster": ("--kubeconfig", "--context", "--management-kubeconfig", "--management-context"),
    "the process": ("--version", "--jobs", "--resync", "--log-format", "--log-level", "--metrics-bind-address"),
}


class ReconcilerCommand(GroupedCommand):
    """A command of the reconciler with more than fifteen options."""

    groups: ClassVar[Groups] = GROUPS
    gone: ClassVar[Mapping[str, str]] = {
        "--no-cache": "leave it out: a cache that cannot be used is passed over",
    }
