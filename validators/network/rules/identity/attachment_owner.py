"""An attachment whose controller reference names a network must be the one that OVN-Kubernetes rendered for it.

The rules judge any other attachment as one that a user wrote, whatever its ownerReferences say. The garbage collector
deletes an attachment whose owner does not exist.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.ownership import claim_of
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Attachments whose controller reference names a (Cluster)UserDefinedNetwork."""
    return claim_of(ctx.object) is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning unless OVN-Kubernetes rendered the attachment."""
    claim = claim_of(ctx.object)
    if claim is not None and not ctx.rendered:
        owner = f"{claim.key.kind.kind} {claim.key.title}"
        detail = f"OVN-Kubernetes did not render this attachment from {owner}, so it is judged as a user's"
        yield FieldError(ErrorType.INVALID, "metadata.ownerReferences", owner, detail)


RULE = Rule(
    id="OVNG-L2-037",
    kinds=(NAD,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, userdefinednetwork controller, template.RenderNetAttachDefManifest",
    message="only attachments that OVN-Kubernetes renders should have a (Cluster)UserDefinedNetwork as controller",
    hint="remove the ownerReference; OVN-Kubernetes creates the attachments of its networks",
    applies=applies,
    check=check,
    needs=(Need.OWNER,),
)
