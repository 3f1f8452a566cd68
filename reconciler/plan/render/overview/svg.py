"""A drawing as SVG. The XML library escapes every text and every attribute."""

from collections.abc import Mapping
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from ovnguard.reconciler.plan.render.overview.shapes import FONT, LINE, Box, Drawing, Text

_SPACE: Final = "http://www.w3.org/2000/svg"


def svg(drawing: Drawing, label: str, kind: str, style: str = "") -> str:
    """Return the picture named ``label`` with the class ``kind``, as a part of a page or, with a ``style``, alone."""
    width, height = _number(drawing.width), _number(drawing.height)
    root = Element("svg", {"class": f"overview {kind}", "viewBox": f"0 0 {width} {height}", "role": "img"})
    root.set("aria-label", label)
    if style:
        root.attrib |= {"xmlns": _SPACE, "width": width, "height": height}
        SubElement(root, "style").text = style
        _shape(root, "rect", {"class": "ground", "width": width, "height": height})
    for box in drawing.boxes:
        _box(root, box)
    for line in drawing.lines:
        places = {key: _number(getattr(line, key)) for key in ("x1", "y1", "x2", "y2")}
        _shape(root, "line", {"class": line.kind, **places})
    for text in drawing.texts:
        _text(root, text)
    return tostring(root, encoding="unicode")


def _box(root: Element, box: Box) -> None:
    places = {key: _number(value) for key, value in box.area._asdict().items()}
    rect = _shape(root, "rect", {"class": box.kind, **places, "rx": "6"})
    if box.title:
        SubElement(rect, "title").text = box.title


def _text(root: Element, text: Text) -> None:
    """A text, with a span for each of several lines; its title stands next to it, as no part of its content."""
    parent = root
    if text.title:
        parent = SubElement(root, "g")
        SubElement(parent, "title").text = text.title
    element = SubElement(parent, "text", {"class": f"{text.kind} middle" if text.centred else text.kind})
    for number, line in enumerate(text.lines):
        part = element if len(text.lines) == 1 else SubElement(element, "tspan")
        part.text = line
        # the base line is where letters stand: less than a fifth of the font goes below it
        part.attrib |= {"x": _number(text.x), "y": _number(text.y + number * LINE + FONT)}
        if text.is_name:
            part.set("textLength", _number(text.width(line)))
            if not line.isascii():
                # letters that may be wider than Latin ones become narrower; else only their distances change
                part.set("lengthAdjust", "spacingAndGlyphs")


def _shape(parent: Element, name: str, attributes: Mapping[str, str]) -> Element:
    return SubElement(parent, name, dict(attributes))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
