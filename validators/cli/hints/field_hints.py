"""What the author of an unknown field probably meant, with the path of the field that exists."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.hints.schema_places import MOST_KNOWN, Place, fields_named, unknown_place, without_indexes
from ovnguard.validators.cli.hints.written_fields import METADATA, OTHER_KINDS, WRITTEN_FIELDS

_ALMOST: Final = 0.6
LONGEST: Final = 100
"""Characters of a word that people misspell; longer ones take the comparison long."""
_SCALARS: Final = frozenset(("string", "integer", "number", "boolean"))
_MOST_PLACES: Final = 3


def field_hint(path: str, obj: JsonObject, schema: JsonObject) -> str:
    """Return what to write in place of the unknown field at ``path``, "" if that is unclear.

    ``schema`` is the OpenAPI schema of the object.
    """
    kind, plain = str(obj.get("kind", "")), without_indexes(path)
    if elsewhere := OTHER_KINDS.get((kind, plain)):
        return f"a {kind} has no such field; did you mean {elsewhere}?"
    place = unknown_place(path, schema, obj)
    if place is None:
        return ""
    if exists := WRITTEN_FIELDS.get(kind, {}).get(plain):
        return _question(_indexed(exists, place))
    return next(filter(None, _guesses(place, schema, obj)), "")


def _guesses(place: Place, schema: JsonObject, obj: JsonObject) -> Iterator[str]:
    """What each way to misplace or to misspell a field would mean, the surest first."""
    yield _wrong_shape(place)
    properties = place.schema.get("properties")
    known = list(properties) if isinstance(properties, Mapping) else []
    if "matchLabels" in known and place.key not in known:
        yield f"a selector has its labels in {place.path('matchLabels')}"
    yield _nested(place, known)
    yield _close(place, METADATA if place.parent == "metadata" else known)
    yield _elsewhere(place, schema, obj)


def _wrong_shape(place: Place) -> str:
    """The hint for a list where the schema has an object, and for an object where it has something else."""
    wanted = place.schema.get("type")
    if isinstance(place.value, list) and wanted == "object":
        return f"{place.parent} is no list: write its fields without a dash"
    if not isinstance(place.value, dict) or wanted not in (*_SCALARS, "array"):
        return ""
    if wanted == "array":
        return f"{place.parent} is a list: begin each entry with a dash"
    values = [value for value in place.value.values() if isinstance(value, str | int | float)]
    example = f": write {shown(values[0])}" if len(values) == 1 else ""
    article = "an" if wanted == "integer" else "a"
    return f"{place.parent} is {article} {wanted}, without fields{example}"


def _nested(place: Place, known: Sequence[str]) -> str:
    """The hint for a mapping around fields that belong next to it."""
    inner = place.value.get(place.key) if isinstance(place.value, dict) else None
    if not isinstance(inner, dict) or not inner or not set(inner) <= set(known):
        return ""
    return _question(*map(place.path, inner), joined=" and ")


def _close(place: Place, known: Sequence[str]) -> str:
    meant = closest(place.key, known)
    return _question(place.path(meant)) if meant else ""


def _elsewhere(place: Place, schema: JsonObject, obj: JsonObject) -> str:
    """The hint for a field that the schema has in other places; the topology of a network chooses between these."""
    if len(place.key) > LONGEST:
        return ""
    found = list(dict.fromkeys(islice(fields_named(place.key, schema), MOST_KNOWN)))
    topology = _topology(obj)
    fitting = [each for each in found if f".{topology}." in each] if topology else []
    found = fitting or found
    near = [each for each in found if each.startswith(f"{without_indexes(place.parent)}.")]
    found = near or found
    return _question(*found) if 0 < len(found) <= _MOST_PLACES else ""


def _topology(obj: JsonObject) -> str:
    spec = obj.get("spec")
    network = spec.get("network") if isinstance(spec, dict) else None
    for place in (spec, network):
        topology = place.get("topology") if isinstance(place, dict) else None
        if isinstance(topology, str):
            return topology.casefold()
    return ""


def _indexed(path: str, place: Place) -> str:
    """A path with the indexes of the place that it has in common with it."""
    plain = without_indexes(place.parent)
    return f"{place.parent}{path[len(plain) :]}" if path.startswith(f"{plain}.") else path


def _question(*paths: str, joined: str = " or ") -> str:
    return f"did you mean {joined.join(paths)}?"


def closest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most similar, whatever its case; "" where comparing takes too long."""
    if len(word) > LONGEST or len(known) > MOST_KNOWN:
        return ""
    folded = {each.casefold(): each for each in known}
    close = get_close_matches(word.casefold(), folded, 1, _ALMOST)
    return folded[close[0]] if close and folded[close[0]] != word else ""


def shown(value: Any) -> str:
    """Return a value as a manifest may have it."""
    return json.dumps(value, ensure_ascii=False)
