"""The pages of the site: links that leave docs/, and the navigation."""

from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.release.site import with_bars, with_diagrams, with_repository_links

DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
SETTINGS = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), yaml.BaseLoader)


@pytest.mark.parametrize(
    ("link", "with_address", "without"),
    [
        ("[rules](rules.md#ovng-net-001)", "[rules](rules.md#ovng-net-001)", "[rules](rules.md#ovng-net-001)"),
        ("[schema](schemas/report-v1.json)", "[schema](schemas/report-v1.json)", "[schema](schemas/report-v1.json)"),
        ("[ADRs](adr)", "[ADRs](https://git.example.com/ovnguard/blob/HEAD/docs/adr)", "ADRs"),
        (
            "[lock](../requirements.lock)",
            "[lock](https://git.example.com/ovnguard/blob/HEAD/requirements.lock)",
            "lock",
        ),
        ("![plan](pictures/plan.svg)", "![plan](pictures/plan.svg)", "![plan](pictures/plan.svg)"),
        (
            "[of others](https://example.com/a)",
            "[of others](https://example.com/a)",
            "[of others](https://example.com/a)",
        ),
        ("[nowhere](../absent.md)", "[nowhere](../absent.md)", "[nowhere](../absent.md)"),
    ],
)
def test_links(link: str, with_address: str, without: str) -> None:
    page = DOCS / "audit.md"
    assert with_repository_links(link, page, ROOT, "https://git.example.com/ovnguard") == with_address
    assert with_repository_links(link, page, ROOT, "") == without


def test_a_page_with_a_diagram_loads_its_script() -> None:
    assert with_diagrams("# A\n", ".") == "# A\n"
    page = "# A\n\n```mermaid\nflowchart LR\n```\n"
    assert with_diagrams(page, "..") == f'{page}\n<script src="../assets/mermaid.js"></script>\n'


def test_bars_in_the_code_of_tables() -> None:
    page = "| a | b |\n|---|---|\n| `x \\|\\| y` | \\| |\n\nNot in tables: `\\|`\n"
    assert with_bars(page) == "| a | b |\n|---|---|\n| `x || y` | \\| |\n\nNot in tables: `\\|`\n"


def listed(entry: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in listed(each)]


def test_the_navigation_has_every_page_once() -> None:
    pages = listed(SETTINGS["nav"])
    assert sorted(pages) == sorted(PAGES), "mkdocs.yml: nav has other pages than docs/"


def test_the_navigation_is_by_task() -> None:
    tasks = [title for each in SETTINGS["nav"] for title in each]
    assert tasks == ["Start", "Judge", "Plan", "Audit", "Operate", "Write rules", "Understand"]


def test_the_start_page_leads_to_the_first_page_of_each_task() -> None:
    start = (DOCS / "README.md").read_text(encoding="utf-8")
    for task in SETTINGS["nav"][1:]:
        (pages,) = task.values()
        assert f"({pages[0]})" in start
