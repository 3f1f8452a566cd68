"""Create certificates and keys for a test API server: valid for one day, on loopback, trusted by nobody else."""

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID = datetime.timedelta(days=1)
_SKEW = datetime.timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key as PEM files."""

    cert: Path
    key: Path


def write_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Make a P-256 key and write it as PEM that only we may read.

    The form is SEC 1 (`EC PRIVATE KEY`): kube-apiserver takes a service account key in no other one (client-go,
    keyutil.ParsePublicKeysPEM).
    """
    key = ec.generate_private_key(ec.SECP256R1())
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    return key


class Authority:
    """A certificate authority in a folder: `ca.crt` there is what clients trust."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca_file = folder / "ca.crt"
        self._key = write_key(folder / "ca.key")
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ovnguard test bed")])
        builder = self._builder(self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self._write(self.ca_file, builder)

    def _builder(self, subject: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(public)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - _SKEW).not_valid_after(now + _VALID)

    def _write(self, path: Path, builder: x509.CertificateBuilder) -> None:
        path.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def server(self, name: str, host: str = "localhost", addresses: Sequence[str] = ("127.0.0.1", "::1")) -> Pair:
        """A serving certificate, by default for loopback."""
        found = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        names = x509.SubjectAlternativeName([x509.DNSName(host), *found])
        return self._issue(name, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), names)

    def client(self, user: str, group: str) -> Pair:
        """A client certificate: the API server takes its CN as the user and its O as the group."""
        subject = [(NameOID.ORGANIZATION_NAME, group), (NameOID.COMMON_NAME, user)]
        return self._issue(user, x509.Name([x509.NameAttribute(oid, value) for oid, value in subject]), None)

    def _issue(self, stem: str, subject: x509.Name, names: x509.SubjectAlternativeName | None) -> Pair:
        pair = Pair(self.folder / f"{stem}.crt", self.folder / f"{stem}.key")
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if names is None else ExtendedKeyUsageOID.SERVER_AUTH
        builder = self._builder(subject, write_key(pair.key).public_key())
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        self._write(pair.cert, builder)
        return pair
