"""Passwords as values: what they print as, and when two of them differ."""

import pytest

from ovnguard.validators.network.frr.frr_secrets import NO_PASSWORD, PRESENT, Password, agree, ignored, unread


@pytest.mark.parametrize("password", [Password("hunter2"), Password(secret="peer"), Password(PRESENT)])
def test_a_password_does_not_print(password: Password) -> None:
    assert [str(password), repr(password), f"{password}", f"{(password,)}"] == ["<hidden>"] * 3 + ["(<hidden>,)"]
    assert bool(password)


def test_no_password() -> None:
    assert (bool(NO_PASSWORD), repr(NO_PASSWORD), NO_PASSWORD.is_known) == (False, "''", True)
    assert ignored("peer", "1@a") == NO_PASSWORD
    assert unread("peer", "1@a") == Password(secret="peer")


@pytest.mark.parametrize(
    ("one", "other", "agreeing"),
    [
        (Password("a"), Password("a"), True),
        (Password("a"), Password("b"), False),
        (Password("a"), NO_PASSWORD, False),
        (Password(PRESENT), Password("b"), True),
        (Password(PRESENT), NO_PASSWORD, False),
        (Password(secret="s"), Password(secret="t"), True),
        (Password(secret="s"), Password("b"), True),
        (Password(secret="s"), NO_PASSWORD, False),
    ],
)
def test_agreement(one: Password, other: Password, agreeing: bool) -> None:
    assert agree(one, other) is agree(other, one) is agreeing
