"""One file says where ovnguard is published, and no other names an address of an example in its place."""

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.release.addresses import addresses, filled_in

EXAMPLES = re.compile(r"\b(?:git|registry)\.example\.com\b")


def test_nothing_is_set_in_the_checkout() -> None:
    assert addresses(ROOT) == {"repository": "", "registry": ""}


@pytest.mark.parametrize(
    "text",
    [
        'repository = ""\n',
        'repository = ""\nregistry = ""\nhome = ""\n',
        'repository = 1\nregistry = ""\n',
    ],
)
def test_other_settings_are_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "release.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"^release.toml: it has the settings repository and registry, both texts"):
        addresses(tmp_path)


@pytest.mark.parametrize(
    ("repository", "registry", "text"),
    [
        ("", "", "REPOSITORY/blob REGISTRY/ovnguard:1"),
        ("https://git.test/o", "", "https://git.test/o/blob REGISTRY/ovnguard:1"),
        ("https://git.test/o", "r.test/o", "https://git.test/o/blob r.test/o/ovnguard:1"),
    ],
)
def test_what_is_set_replaces_its_word(repository: str, registry: str, text: str) -> None:
    found = {"repository": repository, "registry": registry}
    assert filled_in("REPOSITORY/blob REGISTRY/ovnguard:1", found) == text


def test_pages_and_manifests_name_no_address_of_an_example() -> None:
    pages = [*(ROOT / "docs").rglob("*"), *(ROOT / "deploy").rglob("*"), *ROOT.glob("*.md")]
    files = [path for path in pages if path.is_file() and path.suffix != ".pyc"]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8", errors="replace") for path in files}
    assert [name for name, text in texts.items() if EXAMPLES.search(text)] == []
