"""A name that no load balancer can have shows up only when the installation fails to find it.

Source of the limits: Elastic Load Balancing, CreateLoadBalancer.
"""

import re
from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import API, API_INT, PROPOSED, load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_NAME: Final = re.compile(r"[0-9A-Za-z]([0-9A-Za-z-]{0,30}[0-9A-Za-z])?", re.ASCII)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each name."""
    named = load_balancers(ctx.object)
    for key, name in ((API, named.api), (API_INT, named.api_int)) if named is not None and named.enabled else ():
        if name and not _NAME.fullmatch(name):
            yield FieldError(ErrorType.INVALID, f"{PROPOSED}.{key}", name, RULE.message)
        elif name.startswith("internal-"):
            detail = "the name of a load balancer cannot begin with internal-"
            yield FieldError(ErrorType.INVALID, f"{PROPOSED}.{key}", name, detail)


RULE = Rule(
    id="OVNG-DNS-006",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'API Extensions'",
    message=(
        "the name of a network load balancer has at most 32 letters, digits and hyphens, and no hyphen at either end"
    ),
    hint="set the name of the load balancer, not its DNS name or ARN",
    check=check,
)
