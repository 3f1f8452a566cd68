"""The definitions that judge objects of a cluster, which stored them: its own definitions have what they use."""

from types import MappingProxyType
from typing import Final

from ovnguard.crd_schemas.gating import Features
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.crd.compiled_crd import Store

# The gates of OpenShift are on unless somebody asks for a feature set.
_OURS: Final = Features(gates=MappingProxyType({"RouteReflector": True}))


def whole_catalog(store: Store | None = None) -> Catalog:
    """Return the bundled definitions with every feature gate on, those of ovnguard included.

    ``store`` keeps compiled definitions between processes.
    """
    return Catalog(store=store, features=_OURS)
