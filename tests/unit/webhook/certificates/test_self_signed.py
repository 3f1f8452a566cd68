"""Certificates: what they say, how long they live, who can read them, when they are made again."""

import os
import stat
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from ovnguard.webhook.certificates.self_signed import SelfSigned, issue, make_authority

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILES = ("ca.crt", "ca.key", "tls.crt", "tls.key")


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def changed(before, folder):
    return {name for name, content in contents(folder).items() if content != before[name]}


def test_leaf():
    authority = make_authority(NOW)
    leaf = issue(authority, ["ovnguard.svc", "10.0.0.1", "fd00::1"], NOW).certificate
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["ovnguard.svc"]
    assert names.get_values_for_type(x509.IPAddress) == [ip_address("10.0.0.1"), ip_address("fd00::1")]
    assert leaf.not_valid_after_utc == NOW + timedelta(days=7)
    assert leaf.not_valid_before_utc == NOW - timedelta(minutes=5)
    key = leaf.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"
    assert leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    leaf.verify_directly_issued_by(authority.certificate)


def test_authority_signs_leaves_only():
    authority = make_authority(NOW).certificate
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value == x509.BasicConstraints(True, 0)
    assert authority.not_valid_after_utc == NOW + timedelta(days=365)


def test_leaf_never_outlives_its_authority():
    authority = make_authority(NOW, timedelta(days=1))
    assert issue(authority, ["a"], NOW).certificate.not_valid_after_utc == NOW + timedelta(days=1)


def test_files_are_the_owners_alone(tmp_path):
    old = os.umask(0)
    try:
        SelfSigned(tmp_path / "new").ensure(NOW)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    for file in (tmp_path / "new").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def test_made_once(tmp_path):
    made = SelfSigned(tmp_path, ["svc"])
    assert made.ensure(NOW) is True
    before = contents(tmp_path)
    assert made.ensure(NOW + timedelta(days=4)) is False
    assert SelfSigned(tmp_path, ["svc"]).ensure(NOW) is False
    assert changed(before, tmp_path) == set()


@pytest.mark.parametrize(
    ("later", "names", "expected"),
    [
        pytest.param(timedelta(days=5), ["svc"], {"tls.crt", "tls.key"}, id="leaf in its last third"),
        pytest.param(timedelta(0), ["other"], {"tls.crt", "tls.key"}, id="other names"),
        pytest.param(timedelta(days=250), ["svc"], set(FILES), id="authority in its last third"),
        pytest.param(timedelta(days=-1), ["svc"], set(FILES), id="not valid yet"),
    ],
)
def test_made_again(tmp_path, later, names, expected):
    SelfSigned(tmp_path, ["svc"]).ensure(NOW)
    before = contents(tmp_path)
    SelfSigned(tmp_path, names).ensure(NOW + later)
    assert changed(before, tmp_path) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("ca.crt", set(FILES)),
        ("ca.key", set(FILES)),
        ("tls.crt", {"tls.crt", "tls.key"}),
        ("tls.key", {"tls.crt", "tls.key"}),
    ],
)
@pytest.mark.parametrize("content", [None, b"", b"garbage"])
def test_unusable_files_are_replaced(tmp_path, file, expected, content):
    SelfSigned(tmp_path).ensure(NOW)
    before = contents(tmp_path)
    (tmp_path / file).unlink()
    if content is not None:
        (tmp_path / file).write_bytes(content)
    SelfSigned(tmp_path).ensure(NOW)
    assert changed(before, tmp_path) == expected
