"""Pods of a namespace get a primary user-defined network only if the namespace was created with a label for it.

Without the label they stay on the default network, and nothing reports it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_namespaces import PRIMARY_LABEL
from ovnguard.validators.network.list_text import and_elsewhere
from ovnguard.validators.network.model import Role
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import namespace_path, reached


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning about the network's namespaces without the label."""
    network = ctx.own_network
    without = [each.name for each in reached(ctx) if not each.has_primary_label]
    if network is not None and without:
        # the label first: a warning of the webhook has 120 characters, and names of namespaces may have 63
        detail = (
            f'namespace label "{PRIMARY_LABEL}" is missing on "{without[0]}", whose pods stay on the default network'
            f"{and_elsewhere(without)}"
        )
        yield FieldError(ErrorType.INVALID, namespace_path(ctx, network), detail=detail)


RULE = Rule(
    id="OVNG-L2-014",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    severity=Severity.WARNING,
    design="OKEP-5193 user-defined networks, namespaces of primary networks",
    message="namespaces of a primary network should have the label k8s.ovn.org/primary-user-defined-network",
    hint="create the namespace again with the label (any value): it cannot be added later",
    check=check,
    needs=(Need.NAMESPACES, Need.NAMESPACE),
)
