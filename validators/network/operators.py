"""Who acts for the cluster: names of users, as admission requests carry them."""

from collections.abc import Set
from typing import Final

DEFAULT_OPERATORS: Final[frozenset[str]] = frozenset({"system:serviceaccount:openshift-network-operator:"})
"""The cluster network operator: every service account of its namespace, because releases differ in which it uses
(``default`` up to 4.14, then ``cluster-network-operator``). The bundled policies name the same."""


def is_operator(user: str, operators: Set[str]) -> bool:
    """Whether ``user`` is one of ``operators``; a name there that ends in a colon stands for all that begin so."""
    return any(user == name or (name.endswith(":") and user.startswith(name)) for name in operators if name)
