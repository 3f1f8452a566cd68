"""Networks whose names the API server makes (``generateName``): each is a network of its own, so each needs a name."""

from typing import Final

from ovnguard.validators.manifest.documents import Document, Identity, Loaded
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig

_LONGEST_BASE: Final = 58
_SUFFIX: Final = "05d"
"""As many characters as the server adds. Source: apiserver ``pkg/storage/names`` (generate.go)."""


def with_names(loaded: Loaded) -> Loaded:
    """Return ``loaded`` with a name for every network to be created that has only a base for one."""
    taken = {document.identity for document in loaded.documents}
    return loaded._replace(documents=tuple(_named(document, taken) for document in loaded.documents))


def _named(document: Document, taken: set[Identity]) -> Document:
    base = dig(document.value, "metadata", "generateName")
    if not isinstance(base, str) or not base or not is_unnamed_network(document):
        return document
    number = 1
    while document.identity._replace(name=(name := f"{base[:_LONGEST_BASE]}{number:{_SUFFIX}}")) in taken:
        number += 1
    taken.add(document.identity._replace(name=name))
    value = {**document.value, "metadata": {**document.value["metadata"], "name": name}}
    return document._replace(value=value, shown_name=base)


def is_unnamed_network(document: Document) -> bool:
    """Whether a network has no name: a view could not distinguish it from itself."""
    return not document.identity.name and group_kind_of(document.value) in NETWORK_KINDS
