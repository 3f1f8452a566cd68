"""SVG of a drawing program as a part of a page: only shapes and texts, with known attributes."""

from collections.abc import Mapping
from html import escape
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

_ELEMENTS: Final = frozenset({"svg", "g", "path", "polygon", "polyline", "ellipse", "text"})
_ATTRIBUTES: Final = frozenset(
    {"cx", "cy", "d", "font-size", "font-weight", "height", "points", "rx", "ry", "stroke-dasharray", "transform"}
    | {"text-anchor", "viewBox", "width", "x", "y"}
)
# What the first element passes on to all texts; they repeat it.
_INHERITED: Final = {"font-family": "Courier,monospace", "font-size": "10.00", "text-anchor": "start"}


class _Copy:
    """Copies the permitted part; elements in others are dropped with them."""

    def __init__(self, title: str, colours: Mapping[str, str]) -> None:
        self.parts: list[str] = []
        self._title = title
        self._colours = colours
        self._dropped = 0
        # Whether each open element was copied: groups without a transformation are not.
        self._copied: list[bool] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._dropped or name not in _ELEMENTS:
            self._dropped += 1
            return
        if not self.parts and name != "svg":
            raise ValueError(f"the first element is {name!r}")
        kept = {key: value for key, value in attributes.items() if key in _ATTRIBUTES}
        kept = {key: value for key, value in kept.items() if _INHERITED.get(key) != value}
        if colour := self._colours.get(attributes.get("fill", "")):
            kept["class"] = colour
        if not self.parts:
            kept |= {**_INHERITED, "role": "img", "aria-label": self._title}
        self._copied.append(name != "g" or bool(kept))
        if not self._copied[-1]:
            return
        texts = (f' {key}="{escape(value)}"' for key, value in kept.items())
        self.parts.append(f"<{name}{''.join(texts)}>")

    def end(self, name: str) -> None:
        if self._dropped:
            self._dropped -= 1
        elif self._copied.pop():
            self.parts.append(f"</{name}>")

    def text(self, text: str) -> None:
        if not self._dropped and text.strip():
            self.parts.append(escape(text, quote=False))


def svg_markup(text: str, title: str, colours: Mapping[str, str]) -> str:
    """Return the picture as markup for a page, with ``title`` as its name; raise ValueError when it is not SVG.

    ``colours`` are classes of the page by the values of ``fill`` that they replace; all other colours are dropped.
    """
    copy, parser = _Copy(title, colours), ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = copy.start, copy.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = copy.text, _no_entities
    try:
        parser.Parse(text, True)
    except ExpatError as error:
        raise ValueError(str(error)) from error
    if not copy.parts:
        raise ValueError("it has no picture")
    return "".join(copy.parts)


def _no_entities(*_: object) -> None:
    raise ValueError("it declares entities")
