"""A lazy pattern answers as the compiled one, which the first use makes."""

import re

import pytest

from ovnguard.validators.lazy_pattern import lazy_pattern


def test_it_answers_as_the_compiled_pattern() -> None:
    lazy, compiled = lazy_pattern("(?P<a>A)b*", re.IGNORECASE), re.compile("(?P<a>A)b*", re.IGNORECASE)
    for _ in range(2):
        found = lazy.fullmatch("aBb")
        assert found is not None
        assert found.groupdict() == {"a": "a"}
        assert lazy.sub("x", "ab ABB") == compiled.sub("x", "ab ABB") == "x x"
        assert [each[0] for each in lazy.finditer("ab A")] == ["ab", "A"]
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    assert lazy_pattern(b"[0-9]+").findall(b"1 22") == [b"1", b"22"]


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error, match="missing \\), unterminated subpattern"):
        wrong.match("")


def test_a_method_is_looked_up_once() -> None:
    lazy = lazy_pattern("a")
    assert lazy.match == lazy.match
    assert "match" in vars(lazy)
