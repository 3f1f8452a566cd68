"""What the author of a manifest probably meant: known fields and values that are spelt almost alike."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from validators.base.field import ErrorType, FieldError
from validators.base.json_types import JsonObject

MOST_SUGGESTIONS: Final = 100
"""How many fields and values of one object get a suggestion: comparing texts takes most of the time of a finding."""
_ALMOST: Final = 0.6
_LONGEST: Final = 100
"""Characters of a word that people misspell; longer ones take the comparison long."""
_MOST_KNOWN: Final = 200
_STEP: Final = re.compile(r"([^.\[\]]+)|\[([^\]]*)\]")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


def suggestion(error: FieldError, schema: JsonObject | None) -> str:
    """Return the field or value that an error probably means, "" if nothing is similar.

    ``schema`` is the OpenAPI schema of the object, None if it is unknown.
    """
    if error.type is ErrorType.NOT_SUPPORTED and isinstance(error.bad_value, str):
        if len(error.detail) > _LONGEST * _MOST_KNOWN:
            return ""
        return _closest(error.bad_value, _QUOTED.findall(error.detail))
    if error.rule == "strict" and schema is not None:
        steps = [name or index for name, index in _STEP.findall(error.field)]
        parent = _below(schema, steps[:-1])
        known = parent.get("properties") if isinstance(parent, Mapping) else None
        return _closest(steps[-1], list(known)) if steps and isinstance(known, Mapping) else ""
    return ""


def _closest(word: str, known: Sequence[str]) -> str:
    """The known word that is most similar, whatever its case; "" where comparing takes too long."""
    if len(word) > _LONGEST or len(known) > _MOST_KNOWN:
        return ""
    folded = {each.casefold(): each for each in known}
    close = get_close_matches(word.casefold(), folded, 1, _ALMOST)
    return folded[close[0]] if close and folded[close[0]] != word else ""


def _below(schema: Any, steps: Sequence[str]) -> Any:
    """The schema of the value at a path."""
    for step in steps:
        if not isinstance(schema, Mapping):
            return None
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and step in properties:
            schema = properties[step]
        else:
            schema = schema.get("items") if step.isdecimal() else schema.get("additionalProperties")
    return schema
