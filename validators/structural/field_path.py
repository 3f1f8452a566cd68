"""The ``fieldPath`` of a rule: ``.spec.names['a b']`` becomes the path that errors print, ``spec.names[a b]``.

Source: apiextensions-apiserver, ``pkg/apiserver/schema/cel/validation.go`` (ValidFieldPath).
"""

import re
from typing import Final

from validators.structural.schema import Schema

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}


class BadFieldPath(ValueError):
    """A fieldPath that is none for this schema; the message is the API server's."""


def normalise(text: str, schema: Schema) -> str:
    """The path in the form of errors. Raises `BadFieldPath` where it leads to no declared field."""
    return lookup(text, schema)[0]


def lookup(text: str, schema: Schema, *, brackets: bool = True) -> tuple[str, Schema]:
    """The path in the form of errors, and the node it leads to; ``brackets`` is whether ``['name']`` may be written.

    Raises `BadFieldPath` where it leads to no declared field.
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


def _step(path: str, schema: Schema, name: str) -> tuple[str, Schema]:
    if schema.properties:
        child = schema.properties.get(name)
        if child is None:
            raise BadFieldPath("does not refer to a valid field")
        return (f"{path}.{name}" if path else name), child
    if schema.additional_allowed is None:
        raise BadFieldPath("does not refer to a valid field")
    return f"{path}[{name}]", schema.additional or Schema("")
