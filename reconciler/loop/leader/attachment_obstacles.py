"""What keeps the leader from writing or removing an attachment, as Events about its network say it."""

from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.ownership import claim_of

FOREIGN: Final = "ForeignObject"
NOT_ADOPTED: Final = "NotAdopted"
NOT_WRITTEN: Final = "NotWritten"
IN_USE: Final = "NetworkInUse"


def in_the_way(obj: JsonObject, network: JsonObject, place: str) -> tuple[str, str]:
    """Return the reason and the text about an attachment of others that has the place of ours. Text: ovn-kubernetes."""
    claim = claim_of(obj)
    if claim is not None and claim.uid == network["metadata"].get("uid"):
        text = f"NetworkAttachmentDefinition {place} stays as it is: another writer rendered it (--adopt NETWORK)"
        return NOT_ADOPTED, text
    return FOREIGN, f"foreign NetworkAttachmentDefinition with the desired name already exist [{place}]"
