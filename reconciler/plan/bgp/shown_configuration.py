"""FRRConfigurations as people may see them: passwords are hidden, also those in raw configuration."""

from reconciler.plan.bgp.config_lines import without_secrets
from validators.base.json_types import JsonObject
from validators.network.frr.frr_secrets import HIDDEN, with_passwords
from validators.network.parse_values import dig


def shown_configuration(obj: JsonObject) -> JsonObject:
    """Return a copy of an FRRConfiguration without its passwords; any other object is returned as it is."""
    if obj.get("kind") != "FRRConfiguration":
        return obj
    shown = with_passwords(obj, HIDDEN)
    text = dig(shown, "spec", "raw", "rawConfig")
    if not isinstance(text, str):
        return shown
    spec = shown["spec"]
    return {**shown, "spec": {**spec, "raw": {**spec["raw"], "rawConfig": without_secrets(text)}}}
