"""An invalid FRRConfiguration blocks every routing change on the nodes that it selects.

frr-k8s translates all objects of a node together and writes nothing when one of them is invalid. This rule finds the
faults within one object, including duplicates within one router, and names that would add words or lines to frr.conf,
where frr-k8s writes them unread.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.frr.frr_merge import merged
from ovnguard.validators.network.frr.frr_model import Fault
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity
from ovnguard.validators.network.selectors import is_valid


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """The first fault, as frr-k8s would report it."""
    selector = dig(ctx.object, "spec", "nodeSelector")
    if selector is not None and not is_valid(selector):
        text = "resource contains an invalid NodeSelector"
        yield FieldError(ErrorType.INVALID, "spec.nodeSelector", detail=text)
    answer = merged([frr_part(ctx.object)])
    if isinstance(answer, Fault):
        yield FieldError(ErrorType.INVALID, answer.field, detail=answer.text)


RULE = Rule(
    id="OVNG-NET-032",
    kinds=(FRR_CONFIGURATION,),
    severity=Severity.ERROR,
    design="frr-k8s, translation of FRRConfigurations; OKEP-5259, unmanaged mode",
    message="an FRRConfiguration must be one that frr-k8s can translate",
    hint="fix the field; until then, frr-k8s keeps the previous configuration of the nodes",
    check=check,
)
