"""Only shapes and texts of an SVG document come into a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.plan.render.svg_markup import svg_markup

HEAD = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://example.org/svg11.dtd"><!-- a -->'
OPEN = '<svg font-family="Courier,monospace" font-size="10.00" text-anchor="start" role="img" aria-label="net"'


def test_shapes_keep_their_place_and_get_classes_for_colours() -> None:
    text = (
        f'{HEAD}<svg width="8pt" xmlns="http://www.w3.org/2000/svg"><g transform="scale(1 1)">\n'
        '<g id="node1" class="node"><title>n1</title><polygon fill="#123456" stroke="transparent" points="0,0 1,1"/>'
        '<text x="1" font-family="Courier,monospace" font-size="10.00" font-weight="bold">a &lt;b&gt;</text>\n'
        "</g></g></svg>"
    )
    assert svg_markup(text, "net", {"#123456": "router"}) == (
        OPEN.replace("<svg", '<svg width="8pt"') + '><g transform="scale(1 1)">'
        '<polygon points="0,0 1,1" class="router"></polygon><text x="1" font-weight="bold">a &lt;b&gt;</text></g></svg>'
    )


@pytest.mark.parametrize(
    "part",
    [
        "<script>alert(1)</script>",
        "<a href='javascript:alert(1)'><text>x</text></a>",
        "<foreignObject><p>x</p></foreignObject>",
        "<image href='https://example.org/'/>",
        "<style>svg{}</style>",
    ],
)
def test_anything_else_is_left_out(part: str) -> None:
    assert svg_markup(f"<svg>{part}</svg>", "net", {}) == f"{OPEN}></svg>"
    assert svg_markup('<svg onload="x"><g style="x" onclick="y"/></svg>', "net", {}) == f"{OPEN}></svg>"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no element found: line 1, column 0"),
        ("oops", "syntax error: line 1, column 0"),
        ("<html></html>", "it has no picture"),
        ("<g/>", "the first element is 'g'"),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', "it declares entities"),
    ],
)
def test_an_invalid_picture_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        svg_markup(text, "net", {})


@given(st.text())
def test_any_title_is_an_attribute(title: str) -> None:
    found = svg_markup("<svg/>", title, {})
    assert found.count("<") == found.count(">") == 2
    assert found.count('"') == 2 * found.count("=") - 2 * title.count("=") or "=" in title
