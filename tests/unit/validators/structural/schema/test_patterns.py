"""Matches and complaints confirmed by Go's regexp package."""

import pytest

from ovnguard.validators.structural.schema.patterns import MAX_PATTERN, BadPattern, compile_pattern


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
        ("(?P<a>x)(?P<a>y)", "xy", True),
        (r"^\p{Letter}\p{LC}\p{greek}\p{ASCII}$", "éaωA", True),
        (r"^\p{ punct-uation }$", "-", True),
        (r"^\p{Cn}$", "\u0378", True),
        (r"^\p{^Cn}$", "\u0378", False),
        # Unicode 15.1 assigned it; Go has 15.0.
        (r"^\p{L}$", "\U0002ebf0", False),
        (r"^[\P{L}]$", "\U0002ebf0", True),
        (r"(?i)^\p{Lu}+$", "aA\u017f", True),
        (r"(?i)^[^\p{Lu}]$", "a", False),
        (r"(?i)^\p{LC}$", "\u0345", False),
        (r"\p{Cs}", "a", False),
        (r"^[^\p{Cs}]$", "a", True),
        (r"^[[:^alpha:]\d]\x{41}\101\a$", "1AA\a", True),
        (r"^x{01}$", "x{01}", True),
        (r"^\Qa.b\E*$", "a.bbb", True),
        (r"^\Q.", ".", True),
        ("a{1,b}", "a{1,b}", True),
        ("(?i:s)(?-i)S", "ſS", True),
        ("(" * 999 + "a" + ")" * 999, "a", True),
    ],
)
def test_matching_is_gos(pattern: str, text: str, matches: bool) -> None:
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
        (r"\p", r"invalid character class range: `\p`"),
        (r"\p{L~}", r"invalid character class range: `\p{L~}`"),
        (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
        (r"[\p{L", r"invalid character class range: `\p{L`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("(?P<é>a)", "invalid named capture: `(?P<é>`"),
        ("(?<a b>a)", "invalid named capture: `(?<a b>`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?--i)", "invalid or unsupported Perl syntax: `(?--`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"\x4g", r"invalid escape sequence: `\x4g`"),
        (r"\8", r"invalid escape sequence: `\8`"),
        ("a{99999999999999999999}", "invalid repeat count: `{99999999999999999999}`"),
        ("((a{100}){10}){2}", "invalid repeat count: `{2}`"),
        ("(" * 1000 + "a" + ")" * 1000, "expression nests too deeply: `" + "(" * 1000 + "a" + ")" * 1000 + "`"),
        ("(" + "ab*" * 2000 + "){1000}", "expression too large: `(" + "ab*" * 2000 + "){1000}`"),
    ],
)
def test_complaints_are_gos(pattern: str, complaint: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern)
    assert str(caught.value) == f"error parsing regexp: {complaint}"


def test_the_length_of_a_pattern_is_bounded() -> None:
    with pytest.raises(BadPattern, match=f"over {MAX_PATTERN} characters"):
        compile_pattern("a" * (MAX_PATTERN + 1))
