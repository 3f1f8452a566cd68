"""``fieldPath`` of a rule: where its error points, below the node that carries it.

Source: Kubernetes documentation, "Custom Resources", validation rules: "Field fieldPath".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_ESCAPE: Final = re.compile(r"\\(.?)", re.DOTALL)


class FieldPathError(Exception):
    """The path leads nowhere in the schema, or is no path."""


def normalise(path: str, schema: Mapping[str, Any]) -> str:
    """The path as it is appended to the node's own. Raises `FieldPathError`."""
    tokens = _tokens(path)
    made = ""
    for piece in tokens:
        if piece == ".":
            name = _next(tokens)
        elif piece == "[":
            name = _quoted(_next(tokens))
            if _next(tokens) != "]":
                raise FieldPathError("expected ]")
        else:
            raise FieldPathError(f"expected [ or . but got: {piece}")
        properties, additional = schema.get("properties"), schema.get("additionalProperties")
        if properties is not None:
            if name not in properties:
                raise FieldPathError("does not refer to a valid field")
            schema = properties[name]
            made = f"{made}.{name}" if made else name
        elif isinstance(additional, Mapping):
            schema = additional
            made = f"{made}[{name}]"
        else:
            raise FieldPathError("does not refer to a valid field")
    return made


def _next(tokens: Iterator[str]) -> str:
    found = next(tokens, None)
    if found is None:
        raise FieldPathError("unexpected end of JSON path")
    return found


def _tokens(path: str) -> Iterator[str]:
    at = 0
    while at < len(path):
        if path[at] in ".[]":
            yield path[at]
            at += 1
            continue
        end = at + 1
        if path[at] == "'":
            while end < len(path) and not (path[end] == "'" and path[end - 1] != "\\"):
                end += 1
            end += 1
        else:
            while end < len(path) and path[end] not in ".[]":
                end += 1
        yield path[at:end]
        at = end


def _quoted(piece: str) -> str:
    if len(piece) < 2 or piece[0] != "'" or piece[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {piece}")

    def plain(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise FieldPathError("invalid string literal")
        return _ESCAPES[found[1]]

    return _ESCAPE.sub(plain, piece[1:-1])
