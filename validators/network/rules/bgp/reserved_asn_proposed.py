"""Reserved AS numbers in the proposed API, whose text accepts every number from 1 on: said, not refused."""

from dataclasses import replace

from validators.network.cluster_view import OPERATOR_NETWORK
from validators.network.rules.base import Severity
from validators.network.rules.bgp.reserved_asn import RULE as RESERVED_ASN
from validators.network.rules.bgp.reserved_asn import applies_proposed

RULE = replace(
    RESERVED_ASN,
    id="OVNG-NET-008",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, bgpManagedConfig.asNumber",
    message="the AS number of managed BGP should not be a reserved one",
    applies=applies_proposed,
)
