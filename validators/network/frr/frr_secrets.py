"""FRRConfigurations without secret values: of a stored password only its presence is kept.

Whoever may ask for verdicts must not learn a stored password, so neither a verdict nor a message depends on its value.
"""

from collections.abc import Mapping
from typing import Any, Final

from validators.base.json_types import JsonObject
from validators.network.parse_values import dig

PRESENT: Final = "(present)"
"""Takes the place of a password that is stored."""


def without_secrets(obj: JsonObject) -> JsonObject:
    """Return a copy of an FRRConfiguration without values of passwords and without its raw configuration."""
    spec = obj.get("spec")
    if not isinstance(spec, Mapping):
        return obj
    kept = {key: value for key, value in spec.items() if key != "raw"}
    routers = dig(obj, "spec", "bgp", "routers")
    if isinstance(routers, list):
        kept["bgp"] = {**spec["bgp"], "routers": [_mapped(router, "neighbors", _neighbors) for router in routers]}
    return {**obj, "spec": kept}


def agree(one: str, other: str) -> bool:
    """Whether two passwords of a neighbour are not known to differ: a stored one is compared by its presence."""
    return bool(one) == bool(other) if PRESENT in (one, other) else one == other


def _neighbors(listed: Any) -> Any:
    if not isinstance(listed, list):
        return listed
    return [_mapped(neighbor, "password", lambda password: PRESENT if password else password) for neighbor in listed]


def _mapped(obj: Any, key: str, change: Any) -> Any:
    return {**obj, key: change(obj[key])} if isinstance(obj, Mapping) and key in obj else obj
