"""What to write for a required field: its shape and its meaning, from the schema."""

from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.hints.schema_places import schema_at

_LONGEST: Final = 160
"""Characters of a description that are shown."""
_NO_EXAMPLES: Final = ("{}", "[]", "[{}]", "[VALUE]")
_MOST_VALUES: Final = 6
_DEEPEST: Final = 3


def required_hint(path: str, schema: JsonObject | None, verb: str = "add") -> str:
    """Return what to write for the missing field at ``path``: what it looks like and means, if the schema has it."""
    wanted = schema_at(schema or {}, path)
    if not wanted:
        return f"{verb} {path}"
    meaning = _meaning(wanted.get("description"))
    return f"{verb} {path}{_shape(wanted)}{f'. {meaning}' if meaning else ''}"


def number_text(schema: Mapping[str, Any]) -> str:
    """Return ``a number from 1 to 4094``, as far as a schema says that."""
    least, most = schema.get("minimum"), schema.get("maximum")
    return "a number" + (f" from {least}" if least is not None else "") + (f" to {most}" if most is not None else "")


def _shape(schema: Mapping[str, Any]) -> str:
    """What follows the name of a field: its values, or what they look like."""
    values = schema.get("enum")
    if isinstance(values, list) and 0 < len(values) <= _MOST_VALUES:
        shown = [str(value) for value in values]
        return f": {' or '.join([', '.join(shown[:-1]), shown[-1]] if shown[1:] else shown)}"
    kind = schema.get("type")
    if kind in ("object", "array"):
        example = _example(schema, _DEEPEST)
        return f", such as {example}" if example not in _NO_EXAMPLES else f", {_NOUNS[kind]}"
    if kind in ("integer", "number"):
        return f", {number_text(schema)}"
    return f", {_NOUNS[kind]}" if kind in _NOUNS else ""


_NOUNS: Final = {"object": "an object", "array": "a list", "string": "a string", "boolean": "true or false"}


def _example(schema: Mapping[str, Any], depth: int) -> str:
    """A value in YAML's short form, with its required fields; words in capitals stand for others."""
    values, properties = schema.get("enum"), schema.get("properties") or {}
    if isinstance(values, list) and values:
        return str(values[0])
    if "matchLabels" in properties:
        return "{matchLabels: {KEY: VALUE}}"
    if schema.get("type") == "object":
        required = schema.get("required") if depth else ()
        fields = (f"{name}: {_example(properties.get(name) or {}, depth - 1)}" for name in required or ())
        return f"{{{', '.join(fields)}}}"
    if schema.get("type") == "array":
        items = schema.get("items")
        return f"[{_example(items, depth - 1)}]" if isinstance(items, Mapping) and depth else "[]"
    return _SCALARS.get(str(schema.get("type")), "VALUE")


_SCALARS: Final = {"integer": "NUMBER", "number": "NUMBER", "boolean": "true"}


def _meaning(description: Any) -> str:
    """The first paragraph of a description, in one line."""
    if not isinstance(description, str):
        return ""
    text = " ".join(description.partition("\n\n")[0].split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
