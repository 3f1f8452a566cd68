"""How long a judgement may take, by the timeout of the call."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.webhook.admission.call_timeout import DEFAULT_SECONDS, LONGEST_SECONDS, seconds_for


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [
        (None, DEFAULT_SECONDS),
        ("", DEFAULT_SECONDS),
        ("5", DEFAULT_SECONDS),
        ("-5s", DEFAULT_SECONDS),
        ("0s", DEFAULT_SECONDS),
        ("5s5", DEFAULT_SECONDS),
        ("1s" * 40, DEFAULT_SECONDS),
        ("5s", 4.0),
        ("1s", 0.8),
        ("500ms", 0.4),
        ("1.5s", 1.2),
        ("30s", LONGEST_SECONDS),
        ("1m0s", LONGEST_SECONDS),
        ("0h0m2s", 1.6),
    ],
)
def test_seconds(timeout, seconds):
    assert seconds_for(timeout) == pytest.approx(seconds)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_bounded(text):
    assert 0 < seconds_for(text) <= LONGEST_SECONDS
