"""Paths to fields of a schema, as ``fieldPath`` and ``jsonPath`` of a definition write them.

``.spec.names['a b']`` becomes the path that errors print: ``spec.names[a b]``.
Source: apiextensions-apiserver, ``pkg/apiserver/schema/cel/validation.go`` (ValidFieldPath).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_TOKEN: Final = lazy_pattern(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = lazy_pattern(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}
_NO_FIELD: Final = "does not refer to a valid field"


class BadFieldPath(ValueError):
    """The text is not a path, or no field of the schema has it. The message is the API server's."""


def normalise(text: str, schema: Mapping[str, Any]) -> str:
    """Return the path as errors print it. Raises `BadFieldPath` if it leads to no declared field."""
    return lookup(text, schema)[0]


def lookup(text: str, schema: Mapping[str, Any], *, brackets: bool = True) -> tuple[str, Mapping[str, Any]]:
    """Return the path as errors print it, and the schema node it leads to.

    ``brackets``: whether ``['name']`` is allowed. Raises `BadFieldPath` if the path leads to no declared field.
    """
    tokens = _TOKEN.findall(text)
    path = ""
    position = 0
    while position < len(tokens):
        if tokens[position] == ".":
            if position + 1 >= len(tokens):
                raise BadFieldPath("unexpected end of JSON path")
            name, position = tokens[position + 1], position + 2
        elif tokens[position] == "[" and not brackets:
            raise BadFieldPath("array notation is not allowed")
        elif tokens[position] == "[":
            name, position = _bracketed(tokens, position)
        else:
            raise BadFieldPath(f"expected [ or . but got: {tokens[position]}")
        path, schema = _step(path, schema, name)
    return path, schema


def _bracketed(tokens: list[str], position: int) -> tuple[str, int]:
    if position + 1 >= len(tokens):
        raise BadFieldPath("unexpected end of JSON path")
    quoted = tokens[position + 1]
    if len(quoted) < 2 or not (quoted.startswith("'") and quoted.endswith("'")):
        raise BadFieldPath(f"expected single quoted string but got {quoted}")
    if position + 2 >= len(tokens):
        raise BadFieldPath("unexpected end of JSON path")
    if tokens[position + 2] != "]":
        raise BadFieldPath(f"expected ] but got {tokens[position + 2]}")
    return _unquoted(quoted[1:-1]), position + 3


def _unquoted(text: str) -> str:
    for char in _ESCAPE.findall(text):
        if char not in _ESCAPED:
            raise BadFieldPath(f"invalid string literal: invalid escape char \\{char}")
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text)


def _step(path: str, schema: Mapping[str, Any], name: str) -> tuple[str, Mapping[str, Any]]:
    properties, additional = schema.get("properties"), schema.get("additionalProperties")
    if properties:
        if name not in properties:
            raise BadFieldPath(_NO_FIELD)
        return (f"{path}.{name}" if path else name), properties[name]
    if additional is None:
        raise BadFieldPath(_NO_FIELD)
    return f"{path}[{name}]", additional if isinstance(additional, Mapping) else {}
