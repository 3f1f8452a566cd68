"""A drawing as SVG: nothing untrusted becomes markup, and the width of names is prescribed."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.render.overview.shapes import Area, Box, Drawing, Line, Text
from ovnguard.reconciler.plan.render.overview.svg import svg

HOSTILE = "</title></svg><script>alert(1)</script><b a=\"'>&amp;"


def drawing(text: str) -> Drawing:
    found = Drawing(100, 50.25)
    found.boxes.append(Box(Area(1, 2, 30, 4), "card", text))
    found.lines.append(Line(1, 2, 3, 4, "link c0"))
    found.texts.append(Text(10, 20, (text, text), "name", text, centred=True))
    found.texts.append(Text(10, 30, ("Pods",), "word"))
    return found


def test_shapes_have_places_and_classes() -> None:
    assert svg(drawing("n1"), "Network n1", "wide") == (
        '<svg class="overview wide" viewBox="0 0 100 50.2" role="img" aria-label="Network n1">'
        '<rect class="card" x="1" y="2" width="30" height="4" rx="6"><title>n1</title></rect>'
        '<line class="link c0" x1="1" y1="2" x2="3" y2="4" />'
        '<g><title>n1</title><text class="name middle"><tspan x="10" y="33" textLength="15.6">n1</tspan>'
        '<tspan x="10" y="51" textLength="15.6">n1</tspan></text></g><text class="word" x="10" y="43">Pods</text></svg>'
    )


def test_wide_letters_are_made_narrower() -> None:
    found = Drawing(9, 9)
    found.texts.append(Text(1, 1, ("網路…",), "name"))
    assert 'textLength="23.4" lengthAdjust="spacingAndGlyphs">網路…</text>' in svg(found, "x", "wide")


def test_alone_it_has_a_size_a_style_and_a_ground() -> None:
    found = svg(drawing("n1"), "n1", "wide", "text{fill:red}")
    assert found.startswith('<svg class="overview wide" viewBox="0 0 100 50.2" role="img" aria-label="n1" xmlns="http')
    assert '<style>text{fill:red}</style><rect class="ground" width="100" height="50.2" />' in found


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Co", "Cn"]), min_size=1) | st.just(HOSTILE))
def test_no_text_becomes_markup(text: str) -> None:
    plain, found = (ElementTree.fromstring(svg(drawing(each), each, "wide")) for each in ("x", text))
    assert [each.tag for each in found.iter()] == [each.tag for each in plain.iter()]
    attributes = ([each.attrib.keys() - {"lengthAdjust"} for each in tree.iter()] for tree in (found, plain))
    assert next(attributes) == next(attributes)
    assert [each.text for each in found.iter("title")] == [text, text]
