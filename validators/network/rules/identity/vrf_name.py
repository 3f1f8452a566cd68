"""A node's VRF has the name of the ClusterUserDefinedNetwork only if the name has at most 15 characters.

FRR configuration and route queries need the actual name, which contains the network id.
"""

import re
from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.network_keys import recorded_id
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import DEFAULT_NETWORK, Role
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_MAX_VRF_NAME: Final = 15
_OF_AN_ID: Final = re.compile(r"mp[0-9]+-udn-vrf")


def applies(ctx: RuleContext) -> bool:
    """Primary ClusterUserDefinedNetworks; the VRF of a UserDefinedNetwork never has its name."""
    return ctx.has_final_name


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning with the name that the VRF will have, or about a name that another network's VRF has."""
    network = ctx.network
    if network is None:
        return
    name, number = network.source.name, recorded_id(network)
    vrf = f"mp{'<network-id>' if number is None else number}-udn-vrf"
    if len(name) > _MAX_VRF_NAME:
        detail = f'is longer than {_MAX_VRF_NAME} characters: the VRF of the network is named "{vrf}"'
    elif name == DEFAULT_NETWORK:
        detail = f'is not a valid VRF name: the VRF of the network is named "{vrf}"'
    elif _OF_AN_ID.fullmatch(name):
        detail = "is the name that the VRF of a network with this id may have"
    else:
        return
    yield FieldError(ErrorType.INVALID, "metadata.name", name, detail)


RULE = Rule(
    id="OVNG-L2-012",
    kinds=(CUDN,),
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.WARNING,
    design="ovn-kubernetes, util.GetNetworkVRFName",
    message="a network name of at most 15 characters is also the name of its VRF",
    hint="choose a shorter name, or use the VRF's name in FRRConfigurations and scripts",
    applies=applies,
    check=check,
)
