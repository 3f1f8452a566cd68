"""The common parts of rules about workloads and files of ovnkube."""

from functools import partial
from typing import Final

from ovnguard.validators.network.ovnkube_settings.allocation import effective
from ovnguard.validators.network.ovnkube_settings.allocation_settings import OVNKUBE_KINDS, PREFIX
from ovnguard.validators.network.rules.base import Rule, RuleContext

ovnkube_rule: Final = partial(Rule, kinds=OVNKUBE_KINDS, names=(PREFIX,))


def allocates(ctx: RuleContext) -> bool:
    """Workloads and files of ovnkube that allocate networks dynamically."""
    return any(effective(ctx))
