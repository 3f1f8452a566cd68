"""The life of an authority: every step of it, and that no leaf is served whose authority nobody was told of."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.webhook.certificates.authority import OVERLAP, Authority, decide, read
from ovnguard.webhook.certificates.self_signed import AUTHORITY_LIFETIME, LEAF_LIFETIME, fits
from tests.support.soak import examples

NAMES = ("hook.system.svc", "localhost", "127.0.0.1")
START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
OLD = START + AUTHORITY_LIFETIME * 0.7


@pytest.fixture(scope="module")
def first() -> Authority:
    return decide(None, NAMES, START, published=False)


def signed_by_trusted(held: Authority) -> bool:
    return fits(held.leaf, held.signer, NAMES) and held.signer.certificate in held.trusted


def test_first_authority_trusts_itself_alone(first):
    assert signed_by_trusted(first)
    assert first.trusted == (first.signer.certificate,)
    assert first.successor is None


def test_nothing_to_do_is_the_same_object(first):
    assert decide(first, NAMES, START + DAY, published=True) is first


def test_leaf_is_renewed_in_its_last_third_by_the_same_authority(first):
    at = START + LEAF_LIFETIME * 0.7
    later = decide(first, NAMES, at, published=True)
    assert later.signer is first.signer
    assert later.leaf.certificate != first.leaf.certificate
    assert later.leaf.certificate.not_valid_after_utc == at + LEAF_LIFETIME


def test_other_names_make_another_leaf(first):
    later = decide(first, ("other.svc",), START, published=True)
    assert later.signer is first.signer
    assert fits(later.leaf, first.signer, ("other.svc",))


def test_successor_signs_once_clients_have_trusted_it_long_enough(first):
    named = decide(first, NAMES, OLD, published=True)
    assert named.successor is not None
    assert named.signer is first.signer
    assert named.trusted == (first.signer.certificate, named.successor.certificate)
    # not told, or not long enough ago: the former authority goes on
    assert decide(named, NAMES, OLD + OVERLAP * 2, published=False).signer is first.signer
    assert decide(named, NAMES, OLD + OVERLAP / 2, published=True).signer is first.signer
    after = decide(named, NAMES, OLD + OVERLAP, published=True)
    assert after.signer == named.successor
    assert signed_by_trusted(after)
    assert after.trusted == (named.successor.certificate, first.signer.certificate)
    assert decide(after, NAMES, OLD + OVERLAP, published=True) is after
    # the former one is trusted as long as it is valid
    gone = decide(after, NAMES, START + AUTHORITY_LIFETIME, published=True)
    assert gone.trusted == (named.successor.certificate,)


def test_everything_expired_begins_again(first):
    later = decide(first, NAMES, START + AUTHORITY_LIFETIME * 2, published=True)
    assert later.signer != first.signer
    assert later.trusted == (later.signer.certificate,)


def test_expired_authority_gives_way_to_the_successor_that_clients_know(first):
    named = decide(first, NAMES, START + AUTHORITY_LIFETIME - DAY, published=True)
    later = decide(named, NAMES, START + AUTHORITY_LIFETIME + DAY, published=False)
    assert later.signer == named.successor


def test_secret_and_back(first):
    for held in (first, decide(first, NAMES, OLD, published=True)):
        assert read(held.data()) == held
        assert x509.load_pem_x509_certificates(held.bundle) == list(held.trusted)


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt", "ca.key", "next.key"])
@pytest.mark.parametrize("value", [None, b"", b"no PEM", b"\xff"])
def test_a_damaged_secret_is_not_an_authority(first, key, value):
    data = decide(first, NAMES, OLD, published=True).data()
    if value is None:
        del data[key]
    else:
        data[key] = value
    assert read(data) is None


def test_a_key_of_another_authority_is_refused(first):
    stranger = decide(None, NAMES, START, published=False)
    assert read(first.data() | {"ca.key": stranger.signer.key_pem}) is None
    assert read({}) is None


@settings(max_examples=examples(20))
@given(st.lists(st.tuples(st.integers(1, 90), st.booleans()), max_size=25))
def test_a_client_with_the_latest_bundle_can_connect_after_any_pause(steps):
    """Clients know the bundle of the last time they were told; a leaf is signed by an authority in it.

    Unless every authority they know has expired: then there is nothing else to be done.
    """
    now, held = START, decide(None, NAMES, START, published=False)
    known = held.trusted
    for days, published in steps:
        now += timedelta(days=days)
        if published:
            known = held.trusted
        held = decide(held, NAMES, now, published=published)
        assert signed_by_trusted(held)
        assert held.leaf.certificate.not_valid_after_utc > now
        if any(now < each.not_valid_after_utc for each in known):
            assert held.signer.certificate in known
        # what was written is told before the next decision, as the store does
        if held.signer.certificate not in known:
            known = held.trusted
