"""Why a text is no YAML where people often write such texts: templates, and tabs for indentation."""

from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.positions import Position, lines_of

_TEMPLATE: Final = lazy_pattern(r"""^[^"'#]*\{\{-?[^{}]*-?\}\}""")


def yaml_fault(raw: bytes, at: Position) -> str:
    """Return what to do about a syntax error at a position, "" if nothing special is wrong there."""
    lines = lines_of(raw)
    if any(map(_TEMPLATE.match, lines)):
        return "this is a template: render it first"
    line = lines[at.line - 1] if at.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab indents this line: YAML takes only spaces"
    return ""
