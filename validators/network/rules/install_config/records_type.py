"""The user can manage DNS only together with the load balancers.

The API has this rule for the Infrastructure; the install configuration specifies the value first.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.parse_values import dig, mapping
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_PLATFORMS: Final = ("baremetal", "nutanix", "openstack", "ovirt", "vsphere")


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the type of the records."""
    for name in _PLATFORMS:
        block = mapping(ctx.object, "platform", name)
        user_managed = dig(block, "loadBalancer", "type") == "UserManaged"
        if block.get("dnsRecordsType") == "External" and not user_managed:
            yield FieldError(ErrorType.INVALID, f"platform.{name}.dnsRecordsType", "External", RULE.message)


RULE = Rule(
    id="OVNG-DNS-011",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="openshift/api, config/v1, gate OnPremDNSRecords",
    message="dnsRecordsType may only be set to External when loadBalancer.type is UserManaged",
    hint="set loadBalancer.type: UserManaged, or dnsRecordsType: Internal",
    check=check,
)
