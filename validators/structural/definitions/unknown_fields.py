"""The unknown fields of a definition, as strict decoding names them.

Source: sigs.k8s.io/json (UnmarshalStrict); apiextensions.k8s.io/v1, ``types.go`` of each release.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ovnguard.validators.go.composite_types import unknown_keys
from ovnguard.validators.structural.schema.definition_types import DEFINITION

_MOST: Final = 100
_SINCE: Final = {"selectableFields": 30, "observedGeneration": 35}
"""Fields that older releases do not know. No other struct has a field of these names."""


def unknown_fields(source: Mapping[str, Any], release: int) -> Iterator[str]:
    """Yield the paths of the unknown fields of a definition that decodes, each once: the first hundred."""
    unknown = frozenset(key for key, since in _SINCE.items() if release < since)
    yield from islice(dict.fromkeys(unknown_keys(DEFINITION, source, unknown=unknown)), _MOST)
