"""Positions inside a text that is the value of a field, such as the JSON of a CNI configuration."""

from typing import Final

from ovnguard.validators.manifest.positions import Position

_BLOCK: Final = "|"


def inner_position(lines: list[str], start: Position, text: str, offset: int) -> Position | None:
    """Return the position of a character of ``text``, the value that begins at ``start``.

    None where the lines of the file are not those of the value: folded texts, escapes.
    """
    first = lines[start.line - 1][start.column - 1 :]
    row = text.count("\n", 0, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1)
    line = text.split("\n")[row]
    if first.startswith(_BLOCK):
        number = start.line + 1 + row
        shown = lines[number - 1] if number <= len(lines) else ""
        return Position(number, len(shown) - len(line) + column + 1) if shown.endswith(line) else None
    if "\n" in text or first[1 : 1 + len(text)] != text:
        return None
    return Position(start.line, start.column + 1 + column)
