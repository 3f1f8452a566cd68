"""The page: one file, no markup from untrusted texts, and the structure that keyboards and screen readers need."""

import base64
import gzip
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.render.changes import ColumnChange, FoldedRows, NetworkChanges, RowChange
from ovnguard.reconciler.plan.render.page import MAX_SHOWN_JSON, Block, Finding, Page, page_as_html
from ovnguard.reconciler.plan.render.pictures import Picture

_VOID = {"meta"}
HOSTILE = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)> & \"'{{7*7}}{% x %}"


class Document(HTMLParser):
    """The elements of a page in their order, its texts, and the values of attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def json(self) -> str:
        """The JSON text that the page saves."""
        (link,) = [str(each) for each in self.values("href") if str(each).startswith("data:")]
        return gzip.decompress(base64.b64decode(link.partition(",")[2])).decode()

    def values(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


def sample(text: str, kinds: str = "") -> Page:
    """A page with ``text`` wherever a text can be; lines begin with ``kinds``."""
    rows = tuple(RowChange(op, "NAT", text, (ColumnChange(text, text, text),)) for op in ("insert", "update", "delete"))
    network = NetworkChanges(text, {text: {("insert", "NAT"): 1}}, {}, (FoldedRows((text, "a", "b", "c"), rows),))
    block = Block(text, (f"{kinds}{text}", ""))
    return Page(
        title=text,
        summary=(text,),
        findings=(Finding("error", text, text, text), Finding("note", text)),
        networks=(network,),
        overview=Picture((), (text,)),
        pictures={text: Picture((), (text,), (text,))},
        frr=(block,),
        host=(block,),
        objects=(block,),
        unchecked=(text, text),
        audits=(block,),
        json=text,
    )


@given(st.text(min_size=1))
@example(HOSTILE)
@example("-->")
@example("&lt;b&gt;")
def test_no_text_becomes_markup(text: str) -> None:
    text = text.replace("\r", "").replace("\0", "").strip() or "x"
    plain, found = Document(page_as_html(sample("x", "."))), Document(page_as_html(sample(text, ".")))
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in plain.elements]
    assert [[*attributes] for _, attributes in found.elements] == [[*attributes] for _, attributes in plain.elements]
    assert text in "".join(found.texts)


def test_the_policy_permits_the_one_stylesheet_and_nothing_else() -> None:
    text = page_as_html(sample("x"))
    document = Document(text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [each["content"] for each in document.all("meta") if "http-equiv" in each]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert [tag for tag in ("script", "link", "img", "iframe") if document.all(tag)] == []
    assert not [each for each in document.values("href") if not str(each).startswith(("#", "data:application/gzip;"))]
    assert "url(" not in style
    assert "style" not in {name for _, attributes in document.elements for name in attributes}


def test_landmarks_headings_and_labels() -> None:
    document = Document(page_as_html(sample("x")))
    assert document.open == []
    assert [len(document.all(tag)) for tag in ("header", "nav", "main", "footer", "h1")] == [1, 1, 1, 1, 1]
    assert document.all("html") == [{"lang": "en"}]
    ids = document.values("id")
    assert len(ids) == len(set(ids))
    links = [str(each)[1:] for each in document.values("href") if str(each).startswith("#")]
    assert set(links) <= {*ids}
    assert {each["aria-labelledby"] for each in document.all("section")} <= {*ids}
    levels = [int(tag[1]) for tag, _ in document.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    # what scrolls can be reached by keyboard and has a name
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in document.all("pre"))
    assert {each["scope"] for each in document.all("th")} == {"col", "row"}


def test_colours_have_contrast_in_both_schemes() -> None:
    text = page_as_html(sample("x"))
    light, dark = (
        dict(re.findall(r"--(\w+):(#[0-9a-f]+)", block)) for block in re.findall(r":root\{([^}]*)\}", text)[:2]
    )
    assert light.keys() == dark.keys()
    for scheme in (light, {**light, **dark}):
        for name in ("text", "link", "insert", "update", "delete", "place"):
            assert min(contrast(scheme[name], scheme[ground]) for ground in ("page", "soft")) >= 4.5, name
        assert contrast(scheme["line"], scheme["page"]) >= 3


def test_colours_of_pictures_have_contrast_in_every_scheme() -> None:
    blocks = re.findall(r"\.overview\{(--[^}]*)\}", page_as_html(sample("x")))
    schemes = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", block)) for block in blocks]
    assert len(schemes) == 3
    for scheme in schemes:
        assert scheme.keys() == schemes[0].keys()
        for name in ("text", "soft", "new"):
            assert min(contrast(scheme[name], scheme[ground]) for ground in ("page", "card")) >= 4.5, name
        assert contrast(scheme["text"], scheme["all"]) >= 4.5
        for name in (f"c{number}" for number in range(8)):
            assert contrast(scheme["ink"], scheme[name]) >= 4.5, name
            assert contrast(scheme["card"], scheme[name]) >= 3, name
        assert contrast(scheme["line"], scheme["card"]) >= 3


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_json_behind_a_page_is_shown_or_saved() -> None:
    for json, shown in (('{"a": 1}', True), ("x" * (MAX_SHOWN_JSON + 1), False)):
        document = Document(page_as_html(Page("t", (), json=json)))
        assert document.json == json
        assert (json in document.texts) is shown


def test_lines_have_the_colour_of_their_sign() -> None:
    lines = ("+a", "-b", "@@ c", "  ~ d", "e")
    document = Document(page_as_html(Page("t", (), frr=(Block("x", lines),))))
    assert [each.get("class") for each in document.all("span")] == ["insert", "delete", "place", "update", None]


def test_a_page_without_changes_says_so() -> None:
    text = page_as_html(Page("t", ("Plan: no changes",), pictures={"blue": Picture(["<svg></svg>"])}))
    assert "<p>Plan: no changes</p>" in text
    assert "<p>No row changes.</p>" in text
    assert '<figure aria-label="Picture of blue" tabindex="0">\n<svg></svg>' in text


def test_an_audit_plans_no_changes() -> None:
    text = page_as_html(Page("t", (), networks=None, pictures={"blue": Picture(["<svg></svg>"])}))
    assert "<h3>blue</h3>" in text
    assert "No row changes" not in text


def test_the_first_network_with_a_name_is_open() -> None:
    changes = [NetworkChanges(name, {}, {}, ()) for name in ("", "blue", "green")]
    document = Document(page_as_html(Page("t", (), networks=changes)))
    assert [("open" in each) for each in document.all("details")] == [False, True, False, False]


def test_large_numbers_have_separators() -> None:
    changes = NetworkChanges("blue", {"n": {("insert", "NAT"): 1234567}}, {}, ())
    text = page_as_html(Page("t", (), networks=[changes]))
    assert '<td class="n">1,234,567</td>' in text
    assert "<h3>blue</h3>: 1,234,567 to add, 0 to change, 0 to destroy on 1 node<" in text


def test_names_and_ports_are_listed_below_a_picture() -> None:
    picture = Picture(["<svg></svg>", "<svg></svg>"], ["worker-00", "physnet"], ["worker-00: link"])
    text = page_as_html(Page("t", (), networks=None, overview=picture, pictures={"blue": picture}))
    assert text.count("<svg></svg>") == 4
    assert text.count("<summary>Names in this picture (2)</summary>") == 2
    assert text.count("<li>worker-00</li>\n<li>physnet</li>") == 2
    assert text.count('<summary>Every port and link</summary>\n<ul class="names">\n<li>worker-00: link</li>') == 2
    assert '<h2 id="overview">Overview</h2>' in text
