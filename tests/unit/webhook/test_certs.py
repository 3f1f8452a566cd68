"""Certificates: what they say, how long they live, who can read them, when they are made again."""

import logging
import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from webhook import certs
from webhook.certs import (
    BadCertificate,
    CertificateFiles,
    ContextCache,
    SelfSigned,
    issue,
    make_authority,
    server_context,
)

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
    assert isinstance(leaf.public_key(), ec.EllipticCurvePublicKey)
    assert leaf.public_key().curve.name == "secp256r1"
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


def test_context_speaks_tls_1_2_and_newer(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    assert server_context(made.files).minimum_version == ssl.TLSVersion.TLSv1_2


def test_unusable_files_are_named(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    cert, key = made.files.certificate, made.files.key
    missing = tmp_path / "no.crt"
    with pytest.raises(BadCertificate, match=f"^{missing}: cannot be read: No such file or directory$"):
        server_context(CertificateFiles(missing, key))
    with pytest.raises(
        BadCertificate, match=f"^{cert}, {tmp_path}/ca.key: cannot be served together: KEY_VALUES_MISMATCH$"
    ):
        server_context(CertificateFiles(cert, tmp_path / "ca.key"))
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(BadCertificate, match=f"^{empty}, {key}: cannot be served together: "):
        server_context(CertificateFiles(empty, key))


def test_encrypted_key_does_not_ask_for_a_password(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(made.files.key.read_bytes(), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )
    made.files.key.write_bytes(encrypted)
    with pytest.raises(BadCertificate, match="cannot be served together"):
        server_context(made.files)


def test_cache_follows_the_files(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    cache = ContextCache(made.files)
    first = cache.get()
    assert cache.get() is first
    SelfSigned(tmp_path, ["other"]).ensure()
    second = cache.get()
    assert second is not first
    assert cache.get() is second


def test_cache_keeps_what_works_until_the_new_files_do(tmp_path, caplog):
    made = SelfSigned(tmp_path)
    made.ensure()
    cache = ContextCache(made.files)
    first = cache.get()
    good = made.files.certificate.read_bytes()
    made.files.certificate.write_bytes(b"half")
    with caplog.at_level(logging.ERROR):
        assert cache.get() is first
        assert cache.get() is first
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "new certificate not usable, the former one is served on"
    ]
    made.files.certificate.unlink()
    assert cache.get() is first
    made.files.certificate.write_bytes(good)
    assert cache.get() is not first


def test_cache_renews_now_and_then(tmp_path, monkeypatch, caplog):
    made = SelfSigned(tmp_path)
    made.ensure()
    clock = [1000.0]
    monkeypatch.setattr(certs.time, "monotonic", lambda: clock[0])
    calls = []

    def renew():
        calls.append(clock[0])
        raise OSError("disk full")

    cache = ContextCache(made.files, renew)
    for clock[0] in (1001.0, 1060.0, 1061.0, 1119.0, 1121.0):
        cache.get()
    assert calls == [1060.0, 1121.0]
    assert [record.getMessage() for record in caplog.records] == ["certificate not renewed: disk full"] * 2


@pytest.mark.parametrize("renewed", [True, False])
def test_new_authority_is_announced(tmp_path, monkeypatch, caplog, renewed):
    made = SelfSigned(tmp_path)
    made.ensure()
    clock = [1000.0]
    monkeypatch.setattr(certs.time, "monotonic", lambda: clock[0])
    cache = ContextCache(made.files, lambda: renewed)
    clock[0] = 1060.0
    cache.get()
    expected = ["the certificate authority was renewed: register its certificate again as caBundle"] if renewed else []
    assert [record.getMessage() for record in caplog.records] == expected
