"""Complaints confirmed by Go's regexp package."""

import pytest

from validators.structural.patterns import MAX_PATTERN, BadPattern, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "a\n", False),
        ("b", "abc", True),
        (r"^\d+$", "\u0660", False),
        ("(?i)k", "\u212a", True),
        (r"\pL", "é", True),
        ("^.$", "é", True),
        (r"\Q\C\E", r"\C", True),
        ("(?P<a>x)", "x", True),
        ("(?<a>x)", "x", True),
    ],
)
def test_matching_is_re2s(pattern: str, text: str, matches: bool) -> None:
    assert (compile_pattern(pattern)(text) is not None) is matches


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("[", "missing closing ]: `[`"),
        ("(", "missing closing ): `(`"),
        ("a)", "unexpected ): `a)`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{1001}?", "invalid repeat count: `{1001}`"),
        ("a?{2,1}", "invalid repeat count: `{2,1}`"),
        ("\\", "trailing backslash at end of expression: ``"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(?<!a>b)", "invalid named capture: `(?<!a>`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        (r"a\C", r"invalid escape sequence: `\C`"),
        (r"*\C", "missing argument to repetition operator: `*`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        (r"\pX", r"invalid character class range: `\pX`"),
    ],
)
def test_complaints_are_gos(pattern: str, complaint: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern)
    assert str(caught.value) == f"error parsing regexp: {complaint}"


def test_the_length_of_a_pattern_is_bounded() -> None:
    with pytest.raises(BadPattern, match=f"over {MAX_PATTERN} characters"):
        compile_pattern("a" * (MAX_PATTERN + 1))
