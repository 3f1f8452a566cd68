"""The site of `make docs`: it loads nothing from elsewhere, and a real browser without a network searches it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.paths import ROOT
from tests.support.release.site import MKDOCS, PART, BrokenSite, build
from tests.testbed.chromium import SECONDS, Chromium
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = [
    pytest.mark.skipif(not MKDOCS.exists(), reason="the tools of a release are not installed: make docs"),
]
IN_TAGS: Final = re.compile(
    r"<(?:audio|embed|iframe|image|img|input|link|object|script|source|track|use|video)\b[^>]*?\s"
    r"(?:data|href|poster|src|srcset|xlink:href)\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]*)",
    re.IGNORECASE,
)
IN_STYLES: Final = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]*)", re.IGNORECASE)
FOUND: Final = """
[...document.querySelectorAll("[data-md-component=search-result] a")].map(each => each.getAttribute("href")).join(" ")
"""
TYPE: Final = """
(() => {
  const field = document.querySelector("[data-md-component=search-query]");
  field.focus();
  field.value = "%s";
  for (const kind of ["input", "keyup"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
})()
"""


def sources(text: str) -> list[str]:
    """What a page of the site loads from elsewhere; a link that people follow is no source."""
    return [*IN_TAGS.findall(text), *IN_STYLES.findall(text)]


@pytest.fixture(scope="module")
def site(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout."""
    need(parts, PART)
    folder = tmp_path_factory.mktemp("site")
    build(ROOT, folder, parts[PART])
    return folder


@pytest.fixture
def opened(chromium: Chromium) -> Iterator[Chromium]:
    """The browser, whose page asks for files only and causes no error until the end of the test."""
    yield chromium
    asked = [url for url in chromium.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert (asked, list(chromium.problems)) == ([], [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://unpkg.com/a.js"></script>', ["https://unpkg.com/a.js"]),
        ('<LINK rel="stylesheet" href="//fonts.example.com/a.css">', ["//fonts.example.com/a.css"]),
        ("<img alt='a' src='http://example.com/a.png'>", ["http://example.com/a.png"]),
        ('<svg><use xlink:href="https://example.com/a.svg#b"></svg>', ["https://example.com/a.svg#b"]),
        ("@font-face { src: url('https://example.com/a.woff2') }", ["https://example.com/a.woff2"]),
        ('@import "https://example.com/a.css";', ["https://example.com/a.css"]),
        ('<a href="https://example.com/">a page</a> <img src="a.png"> <img src="data:,">', []),
    ],
)
def test_what_a_page_loads_from_elsewhere(text: str, found: list[str]) -> None:
    assert sources(text) == found


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [path for path in site.rglob("*") if path.suffix in {".html", ".css", ".svg"}]
    assert len(pages) > len([*(ROOT / "docs").rglob("*.md")])
    assert {str(path.relative_to(site)): found for path in pages if (found := sources(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("link", ["absent.md", "README.md#absent"])
def test_a_link_that_leads_nowhere_is_an_error(link: str, parts: Parts, tmp_path: Path) -> None:
    need(parts, PART)
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "README.md").write_text(f"# A\n\n[a link]({link})\n", encoding="utf-8")
    for name in ("mkdocs.yml", "release.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (root / name).write_text(text.partition("nav:\n")[0], encoding="utf-8")
    with pytest.raises(BrokenSite, match=rf"WARNING -  Doc file 'README.md' contains a link '{link}', but "):
        build(root, tmp_path / "site", parts[PART])


def test_a_search_in_files_finds_a_page(site: Path, opened: Chromium) -> None:
    opened.open((site / "index.html").as_uri())
    opened.run(TYPE % "transit subnet")
    wait_until(lambda: "webhook.html" in opened.run(FOUND), "the search finds a page", SECONDS)
    opened.run(TYPE % "qzxvqzxv")
    wait_until(lambda: opened.run(FOUND) == "", "the search finds nothing", SECONDS)


def test_a_diagram_is_drawn(site: Path, opened: Chromium) -> None:
    opened.open((site / "ic-upgrade.html").as_uri())
    # the theme draws each into a closed shadow tree, and leaves the text where that fails
    wait_until(
        lambda: opened.run("document.querySelectorAll('div.mermaid').length === 1"), "the diagram is drawn", SECONDS
    )
    assert opened.run("document.querySelector('div.mermaid').offsetHeight > 100")
