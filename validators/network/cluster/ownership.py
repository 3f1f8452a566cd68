"""Decides which attachments OVN-Kubernetes rendered for a (Cluster)UserDefinedNetwork.

A tenant writes the ``ownerReferences`` of an attachment as freely as the rest of it, so a reference alone proves
nothing. An attachment counts as rendered when its controller reference names a stored network by API group, kind, name
and UID, the attachment has that network's name and namespace, and its configuration has the name that OVN-Kubernetes
derives.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster_view import CUDN, UDN, GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_nad import config_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.parse_values import dig, text_of

OWNER_KINDS: Final = (CUDN, UDN)
"""The kinds whose objects OVN-Kubernetes renders attachments for."""


class OwnerKey(NamedTuple):
    """A (Cluster)UserDefinedNetwork by kind, namespace ("" for a cluster-scoped kind) and name."""

    kind: GroupKind
    namespace: str
    name: str

    @property
    def title(self) -> str:
        """Namespace and name, as ``namespace/name``."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def network_name(self) -> str:
        """OVN-Kubernetes' name of the network.

        Source: ovn-kubernetes, ``util.GenerateCUDNNetworkName`` and ``util.GenerateUDNNetworkName``.
        """
        return f"{CUDN_PREFIX}{self.name}" if self.kind == CUDN else f"{self.namespace}_{self.name}"


class OwnerClaim(NamedTuple):
    """The (Cluster)UserDefinedNetwork that an attachment's controller reference names."""

    key: OwnerKey
    uid: str


class Ownership(StrEnum):
    """Whether a claim holds: ``unknown`` if the view lacks the objects that would prove or refute it."""

    RENDERED = "rendered"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class HeldOwners(NamedTuple):
    """The UID of each known (Cluster)UserDefinedNetwork, "" where the object has none, and the kinds that are known."""

    uids: Mapping[OwnerKey, str]
    kinds: frozenset[GroupKind]

    def prove(self, claim: OwnerClaim) -> bool:
        """Return whether the claimed network is stored with the claimed uid."""
        return bool(claim.uid) and self.uids.get(claim.key) == claim.uid

    def presume(self, claim: OwnerClaim) -> bool:
        """Return whether the claimed network is known with the claimed uid, or as a manifest, which has none.

        An attachment exported from a cluster may be next to the manifest of its network. Stored networks have uids.
        """
        return self.uids.get(claim.key) in ("", claim.uid)


def claim_of(obj: JsonObject) -> OwnerClaim | None:
    """Return the claim of an attachment; None if its controller is not a (Cluster)UserDefinedNetwork."""
    owners = dig(obj, "metadata", "ownerReferences")
    for owner in owners if isinstance(owners, list) else ():
        if dig(owner, "controller") is not True:
            continue
        kind = GroupKind(text_of(dig(owner, "apiVersion")).partition("/")[0], text_of(dig(owner, "kind")))
        if kind not in OWNER_KINDS:
            return None
        namespace = "" if kind == CUDN else ref_of(obj).namespace
        return OwnerClaim(OwnerKey(kind, namespace, text_of(dig(owner, "name"))), text_of(dig(owner, "uid")))
    return None


def plausible_claim(obj: JsonObject) -> OwnerClaim | None:
    """Return the claim of an attachment with all names that OVN-Kubernetes derives; only its uid is unchecked."""
    claim = claim_of(obj)
    return claim if claim is not None and _has_rendered_names(obj, claim.key) else None


def key_of(obj: JsonObject) -> OwnerKey:
    """Return the key of a (Cluster)UserDefinedNetwork."""
    kind, ref = group_kind_of(obj), ref_of(obj)
    return OwnerKey(kind, "" if kind == CUDN else ref.namespace, ref.name)


def owner_claims(now: ObservedObjects, before: Mapping[int, OwnerClaim] | None) -> dict[int, OwnerClaim]:
    """Follow the (Cluster)UserDefinedNetworks of a view: the key and the UID of each object by its ``id()``."""
    known = before or {}
    objects = (obj for kind in OWNER_KINDS for obj in now.objects(kind))
    return {id(obj): known.get(id(obj)) or OwnerClaim(key_of(obj), _uid(obj)) for obj in objects}


def held_owners(now: ObservedObjects, before: HeldOwners | None) -> HeldOwners:
    """Follow the (Cluster)UserDefinedNetworks of a view; the manifest of a stored network lacks only the UID."""
    found: dict[OwnerKey, str] = {}
    for key, uid in now.followed(owner_claims, *OWNER_KINDS).values():
        found[key] = uid or found.get(key, "")
    held = HeldOwners(found, frozenset(kind for kind in OWNER_KINDS if now.knows(kind)))
    return before if before == held and before is not None else held


def ownership(obj: JsonObject, held: HeldOwners, *, whole: bool) -> Ownership | None:
    """Return whether the claim of an attachment holds, or None without a claim.

    ``whole``: the view contains every object of its kinds, as the view of a cluster does, unlike a folder.
    """
    claim = claim_of(obj)
    if claim is None:
        return None
    uid = held.uids.get(claim.key)
    if uid is None:
        return Ownership.REFUTED if whole and claim.key.kind in held.kinds else Ownership.UNKNOWN
    if not uid:
        return Ownership.UNKNOWN
    proven = held.prove(claim) and _has_rendered_names(obj, claim.key)
    return Ownership.RENDERED if proven else Ownership.REFUTED


def is_foreign(obj: JsonObject, owner: JsonObject, held: HeldOwners) -> bool:
    """Return whether the attachment in the place of ``owner``'s was rendered for another network, or for none.

    The claim has the right UID if ``owner`` has it, or the stored object of that name; a manifest has no UID, and then
    the name decides.
    """
    claim, key = claim_of(obj), key_of(owner)
    uids = {_uid(owner), held.uids.get(key, "")} - {""}
    return claim is None or claim.key != key or bool(uids and claim.uid not in uids)


def _has_rendered_names(obj: JsonObject, key: OwnerKey) -> bool:
    config = config_of(obj)
    return config is not None and ref_of(obj).name == key.name and config.name == key.network_name


def _uid(obj: JsonObject) -> str:
    return text_of(dig(obj, "metadata", "uid"))
