"""A name fits and stays different from all others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.render.overview.labels import shortened, wrapped

NAMES = st.text("ab-.", min_size=1, max_size=63)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ("",)),
        ("worker-00", ("worker-00",)),
        ("worker-00.example.internal", ("worker-00.", "example.", "internal")),
        ("abcdefghijklm", ("abcdefghij", "klm")),
        ("fd00:10:96:1::/64", ("fd00:10:", "96:1::/64")),
    ],
)
def test_lines_end_after_a_separator_where_they_can(text: str, lines: tuple[str, ...]) -> None:
    assert wrapped(text, 10) == lines


def test_a_name_that_does_not_fit_loses_its_middle() -> None:
    assert shortened(["production-payments"], 11) == {"production-payments": ("produ…ments",)}


def test_a_name_that_fits_only_without_regard_to_separators_is_cut_at_the_width() -> None:
    assert shortened(["worker-00.example.internal"], 13, 2) == {
        "worker-00.example.internal": ("worker-00.exa", "mple.internal")
    }


def test_names_with_the_same_ends_are_numbered() -> None:
    assert shortened(["team-one-blue", "team-two-blue", "team-…lue"], 9) == {
        "team-one-blue": ("team…blue",),
        "team-two-blue": ("tea…lue~2",),
        "team-…lue": ("team-…lue",),
    }


@given(st.lists(NAMES, unique=True, max_size=30), st.integers(8, 30), st.integers(1, 3))
def test_labels_fit_and_are_never_equal(names: list[str], width: int, lines: int) -> None:
    found = shortened(names, width, lines)
    assert list(found) == names
    assert all(len(each) <= lines and max(map(len, each)) <= width for each in found.values())
    texts = ["".join(each) for each in found.values()]
    assert len(set(texts)) == len(texts)
    assert all(text == name for name, text in zip(names, texts, strict=True) if len(name) <= width * lines)
