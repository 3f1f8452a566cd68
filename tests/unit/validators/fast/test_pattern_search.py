"""Patterns that Python's engine may search for say what RE2 says, and in bounded time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.fast import pattern_search
from ovnguard.validators.fast.pattern_search import searcher
from ovnguard.validators.structural.schema.patterns import BadPattern, compile_pattern

PLAIN = [
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "^(Managed|Unmanaged|Force|Removed)$",
    r"^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\.){3}([0-9]|25[0-5])$",
    "^TCP|UDP|SCTP$",
    "^[^: ]*$",
    r"^\d{1,3}$",
    "^[0-9a-z_-]{1,63}$",
    "https://",
    "^$",
    "",
]
NOT_PLAIN = [
    r"^/.*?/vm/.*?",
    r"^\pL+$",
    "(?i)a",
    "[[:alpha:]]",
    r"^[^/\s]+$",
    r"\Aa",
    "a{,3}",
    "a{01}",
    "a{0,02}",
    "a**",
    "[a&&b]",
    "[+--]",
    "(a+)+$",
    "(a|a)*$",
    "([a-z]+)*$",
    r"(\.a*a*)*$",
    "(a?){30}a{30}",
    "a?" * 30 + "a" * 30,
    ".*.*.*.*.*.*x",
    r"\C",
    "(",
]
TEXTS = st.text(alphabet="ab-.:/0195AZ_\n \u00e9", max_size=12)


@pytest.mark.parametrize("pattern", PLAIN)
def test_plain_patterns_are_recognised(pattern: str) -> None:
    assert searcher(pattern).__name__ == "plain"


@pytest.mark.parametrize("pattern", NOT_PLAIN)
def test_others_are_left_to_re2(pattern: str) -> None:
    assert searcher(pattern).__name__ == "exact"


def test_a_bad_pattern_raises_when_called() -> None:
    with pytest.raises(BadPattern):
        searcher("(")("a")


@pytest.mark.parametrize("pattern", [one for one in (*PLAIN, *NOT_PLAIN) if one not in {r"\C", "(", r"\Aa", "a**"}])
@given(text=TEXTS)
def test_answers_are_those_of_re2(pattern: str, text: str) -> None:
    assert searcher(pattern)(text) is (compile_pattern(pattern)(text) is not None)


PIECES = st.sampled_from(
    ["a", "b", "-", r"\.", "[ab]", "[^a]", "[a-b.]", "(ab)", "(a|b)", "(?:-a)", ".", r"\d", "^", "$"]
)
SUFFIX = st.sampled_from(["", "", "?", "*", "+", "{2}", "{1,2}", "{2,}", "{02}", "{0,}"])


@given(parts=st.lists(st.tuples(PIECES, SUFFIX), max_size=5), text=TEXTS)
def test_generated_patterns(parts: list[tuple[str, str]], text: str) -> None:
    pattern = "".join(piece + suffix for piece, suffix in parts)
    try:
        expected = compile_pattern(pattern)(text) is not None
    except BadPattern:
        return
    assert searcher(pattern)(text) is expected


@pytest.mark.parametrize("pattern", PLAIN)
@pytest.mark.parametrize("unit", ["a", "-", "a.", "1", "a-", ".", "aa:", "255."])
@pytest.mark.timing
def test_no_text_takes_long(pattern: str, unit: str) -> None:
    texts = [(unit * 4096)[:size] + "!" for size in (23, 63, 511, 1023, 4095)]
    started = time.process_time()
    for text in texts:
        searcher(pattern)(text)
    # a search that goes back takes hours for such texts
    assert time.process_time() - started < 5


def test_dollar_is_the_very_end() -> None:
    assert not searcher("^a$")("a\n")
    assert re.search("^a$", "a\n"), "Python's own dollar is another one"
    assert searcher(r"^[$]$")("$")
    assert pattern_search.searcher(r"^\$$")("$")
