"""The faults that a definition may have: none for a new one, on an update some of those that the old one has.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (validationOptions).
"""

from typing import Final, NamedTuple


class Allowances(NamedTuple):
    """The faults that a definition may have. ``rules`` and ``messages`` are stored expressions, which may use all that
    the release knows. The rules of versions with an ``unchanged`` schema may cost more, and those in ``crowded`` may
    have too many selectable fields; both are names of versions, "" is what all versions share.
    """

    types: bool = False
    missing_schemas: bool = False
    structure: bool = False
    unpruned_defaults: bool = False
    loose_sets: bool = False
    loose_keys: bool = False
    review_versions: bool = False
    ca_bundle: bool = True
    rules: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()
    unchanged: frozenset[str] = frozenset()
    crowded: frozenset[str] = frozenset()


NEW: Final = Allowances()
"""A new definition may have no fault but the bundle of its conversion, which nobody has read yet."""
