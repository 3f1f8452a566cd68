"""The CNI configuration inside an attachment, judged by its own schema: values and bounds of its keys.

`validators.network.declared.parse_nad` reports errors with the messages of OVN-Kubernetes. This module reports the
remaining ones, with the types and texts of the API server, about the values that OVN-Kubernetes reads.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.catalog import Catalog, GroupVersionKind
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, config_of
from ovnguard.validators.network.parse_errors import CNI_VALUE

KIND: Final = GroupVersionKind("k8s.cni.cncf.io", "v1", "OVNKubernetesConfig")
_PREFIX: Final = "spec."
# What OVN-Kubernetes' messages call keys that they do not call by name.
_SPOKEN: Final = {"netAttachDefName": ("net-attach-def", "NADName")}


def config_errors(
    obj: JsonObject, old: JsonObject | None, catalog: Catalog, known: Iterable[FieldError]
) -> tuple[FieldError, ...]:
    """Return the errors of keys of an attachment's configuration that no error in ``known`` names.

    Errors that the stored object ``old`` has too do not count. Other kinds, other plugins and texts that are not a
    configuration have no errors here: the parser reports those. Never raises.
    """
    found = _errors(obj, catalog)
    if not found:
        return ()
    details = [error.detail for error in known if error.field == CONFIG_FIELD]
    before = {error.text for _, error in _errors(old, catalog)} if old is not None else set()
    return tuple(error for key, error in found if error.text not in before and not _is_reported(key, details))


def _errors(obj: JsonObject, catalog: Catalog) -> list[tuple[str, FieldError]]:
    """Errors about single keys, with the key that each begins at."""
    config = config_of(obj) if group_kind_of(obj) == NAD else None
    if config is None:
        return []
    wrapped = {
        "apiVersion": f"{KIND.group}/{KIND.version}",
        "kind": KIND.kind,
        "metadata": {"name": "config", "namespace": "config"},
        "spec": config.plugin,
    }
    verdict = catalog.embedded(KIND).verdict(wrapped, field_validation="Ignore")
    return [_by_key(error) for error in verdict.errors if error.field.startswith(_PREFIX) and not _is_rule(error)]


def _by_key(error: FieldError) -> tuple[str, FieldError]:
    place = error.field.removeprefix(_PREFIX)
    detail = error.detail.replace(f"{error.field} in body ", "")
    key = place.partition(".")[0].partition("[")[0]
    return key, error._replace(field=CONFIG_FIELD, detail=f"{place}: {detail}" if detail else place, rule=CNI_VALUE.id)


def _is_rule(error: FieldError) -> bool:
    """Whether a rule over several keys refused: OVN-Kubernetes has its own message for each of them."""
    return "x-kubernetes-validations" in error.rule


def _is_reported(key: str, details: Iterable[str]) -> bool:
    return any(name in detail for detail in details for name in (key, *_SPOKEN.get(key, ())))
