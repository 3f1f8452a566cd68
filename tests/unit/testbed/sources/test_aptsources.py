"""The machine's apt settings, in both forms, become stanzas for another suite of the same mirror."""

from pathlib import Path

import pytest

from tests.testbed.sources import aptsources
from tests.testbed.sources.aptsources import Source

KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        (
            "deb http://mirror.invalid/debian bookworm main contrib",
            [Source(("http://mirror.invalid/debian",), ("bookworm",), ("main", "contrib"), {})],
        ),
        (
            f"deb [arch=amd64,arm64 Signed-By={KEY},/other.gpg trusted=yes] https://m.invalid/d trixie main # note",
            [
                Source(
                    ("https://m.invalid/d",),
                    ("trixie",),
                    ("main",),
                    {"Signed-By": f"{KEY} /other.gpg", "Trusted": "yes"},
                )
            ],
        ),
        ("deb [] http://m.invalid sid main", [Source(("http://m.invalid",), ("sid",), ("main",), {})]),
        ("deb-src http://m.invalid bookworm main", []),
        ("# deb http://m.invalid bookworm main", []),
        ("deb http://only-an-address.invalid", []),
        ("debris of another tool", []),
        ("", []),
    ],
)
def test_one_line(line: str, sources: list[Source]) -> None:
    assert aptsources.parse_list(line) == sources


def test_deb822_with_comments_continuations_and_several_values() -> None:
    text = f"""\
# written by hand
Types: deb deb-src
URIs: http://a.invalid/debian http://b.invalid/debian
# a comment inside
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: {KEY}

Types: deb
URIs: http://c.invalid/debian
Suites: trixie
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----
"""
    first, second = aptsources.parse_deb822(text)
    assert first == Source(
        ("http://a.invalid/debian", "http://b.invalid/debian"),
        ("bookworm", "bookworm-updates"),
        ("main",),
        {"Signed-By": KEY},
    )
    assert second.trust["Signed-By"].splitlines()[1:3] == [" -----BEGIN PGP PUBLIC KEY BLOCK-----", " ."]


@pytest.mark.parametrize(
    "text",
    [
        "Enabled: no\nTypes: deb\nURIs: http://m.invalid\nSuites: trixie\nComponents: main\n",
        "Types: deb-src\nURIs: http://m.invalid\nSuites: trixie\nComponents: main\n",
        "Types: deb\nSuites: trixie\nComponents: main\n",
        "Types: deb\nURIs: http://m.invalid\nComponents: main\n",
        " a line that continues nothing\n",
        "a line without a colon\n",
    ],
)
def test_deb822_stanzas_that_are_no_source(text: str) -> None:
    assert aptsources.parse_deb822(text) == []


def test_read_takes_both_forms_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    (tmp_path / "sources.list").write_text("deb http://one.invalid bookworm main\n")
    (folder / "b.list").write_text("deb http://two.invalid bookworm main\n")
    (folder / "a.sources").write_text("Types: deb\nURIs: http://three.invalid\nSuites: bookworm\nComponents: main\n")
    (folder / "c.list.disabled").write_text("deb http://off.invalid bookworm main\n")
    (folder / "d.list").mkdir()
    assert [source.uris for source in aptsources.read(tmp_path)] == [
        ("http://one.invalid",),
        ("http://three.invalid",),
        ("http://two.invalid",),
    ]


def test_read_of_a_machine_without_apt(tmp_path: Path) -> None:
    assert aptsources.read(tmp_path / "absent") == []


def test_stanzas_prefer_the_mirror_that_has_the_suite_and_keep_its_key() -> None:
    sources = [
        Source(("http://old.invalid",), ("bookworm",), ("main",), {"Signed-By": KEY}),
        Source(("http://new.invalid",), ("trixie",), ("main",), {}),
        Source(("http://old.invalid",), ("bookworm-updates",), ("main",), {}),
    ]
    assert aptsources.stanzas_for(sources, "trixie", "main") == [
        "Types: deb\nURIs: http://new.invalid\nSuites: trixie\nComponents: main\n",
        f"Types: deb\nURIs: http://old.invalid\nSuites: trixie\nComponents: main\nSigned-By: {KEY}\n",
    ]


@pytest.mark.parametrize(
    ("suite", "components"),
    [("noble", ("main",)), ("bookworm-security", ("main",)), ("nodistro", ("main",)), ("bookworm", ("contrib",))],
)
def test_archives_that_are_not_debians_main_one(suite: str, components: tuple[str, ...]) -> None:
    assert aptsources.stanzas_for([Source(("http://m.invalid",), (suite,), components, {})], "trixie", "main") == []
