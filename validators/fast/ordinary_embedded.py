"""Resources inside an object, where they are ordinary."""

from typing import Any

from validators.fast.ordinary_metadata import is_label, is_ordinary_embedded


def is_ordinary(value: Any) -> bool:
    """Whether apiVersion, kind and metadata of an embedded resource are there, valid, and in their normal form."""
    api_version, kind = value["apiVersion"], value["kind"]
    if type(api_version) is not str or type(kind) is not str or not api_version or api_version.count("/") > 1:
        return False
    if not is_label(kind.lower()) or not kind[0].isalpha():
        return False
    return "metadata" not in value or is_ordinary_embedded(value["metadata"])
