"""The context that is served follows its files, and is never worse than the one before."""

import logging
import ssl

import pytest
from cryptography.hazmat.primitives import serialization

from ovnguard.webhook.certificates.self_signed import CertificateFiles, SelfSigned
from ovnguard.webhook.server.tls_context import BadCertificate, ContextCache, server_context


def test_context_speaks_tls_1_2_and_newer(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    assert server_context(made.files).minimum_version == ssl.TLSVersion.TLSv1_2


def test_no_suite_uses_cbc(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    suites = [each["name"] for each in server_context(made.files).get_ciphers()]
    assert suites
    assert all("GCM" in name or "CHACHA20" in name for name in suites)


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


def test_cache_keeps_the_last_valid_certificate(tmp_path, caplog):
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
        "the new certificate is unusable, the former one stays in use"
    ]
    made.files.certificate.unlink()
    assert cache.get() is first
    made.files.certificate.write_bytes(good)
    assert cache.get() is not first


def _about_certificates(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Without what a thread of an earlier test may still log."""
    return [record.getMessage() for record in caplog.records if record.name == "ovnguard.certs"]


def test_cache_renews_now_and_then(tmp_path, monkeypatch, caplog):
    made = SelfSigned(tmp_path)
    made.ensure()
    clock = [1000.0]
    monkeypatch.setattr("ovnguard.webhook.server.tls_context.time.monotonic", lambda: clock[0])
    calls = []

    def renew():
        calls.append(clock[0])
        raise OSError("disk full")

    cache = ContextCache(made.files, renew)
    for clock[0] in (1001.0, 1060.0, 1061.0, 1119.0, 1121.0):
        cache.get()
    assert calls == [1060.0, 1121.0]
    assert _about_certificates(caplog) == ["certificate not renewed: disk full"] * 2


@pytest.mark.parametrize("renewed", [True, False])
def test_new_authority_is_announced(tmp_path, monkeypatch, caplog, renewed):
    made = SelfSigned(tmp_path)
    made.ensure()
    clock = [1000.0]
    monkeypatch.setattr("ovnguard.webhook.server.tls_context.time.monotonic", lambda: clock[0])
    cache = ContextCache(made.files, lambda: renewed)
    clock[0] = 1060.0
    cache.get()
    expected = ["the certificate authority was renewed: register its certificate again as caBundle"] if renewed else []
    assert _about_certificates(caplog) == expected
