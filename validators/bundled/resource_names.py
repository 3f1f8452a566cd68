"""The resource of a kind, as requests name it."""

from ovnguard import crd_schemas
from ovnguard.validators.bundled.catalog import GroupVersionKind


def resource_of(kind: GroupVersionKind) -> str:
    """Return the resource of a kind: that of its bundled definition, else the usual one.

    Source: apimachinery, ``meta.UnsafeGuessKindToResource``.
    """
    if crd_schemas.paths(*kind):
        return crd_schemas.crd_name(*kind).partition(".")[0]
    name = kind.kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
