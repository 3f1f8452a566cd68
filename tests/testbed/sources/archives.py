"""One file out of an archive of a package registry: fetched over HTTPS, checked by its digest, never unpacked."""

import hashlib
import io
import tarfile
from http.client import HTTPException
from urllib.request import urlopen

from tests.testbed.command import CommandError
from tests.testbed.pins import Archive

_SECONDS = 60
_MOST_OCTETS = 64 << 20


def member_of(archive: Archive) -> bytes:
    """Return the content of the archive's member; raises CommandError."""
    if not archive.url.startswith("https://"):
        raise CommandError(f"{archive.url} is no https URL")
    try:
        with urlopen(archive.url, timeout=_SECONDS) as answer:
            raw = answer.read(_MOST_OCTETS)
    except (OSError, HTTPException) as error:
        raise CommandError(f"{archive.url}: {error}") from None
    return extracted(raw, archive)


def extracted(raw: bytes, archive: Archive) -> bytes:
    """Return the content of the member of an archive that was fetched; raises CommandError."""
    found = hashlib.sha256(raw).hexdigest()
    if found != archive.sha256:
        raise CommandError(f"{archive.url} has the digest {found}, {archive.sha256} is wanted")
    with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
        file = tar.extractfile(archive.member) if archive.member in tar.getnames() else None
        if file is None:
            raise CommandError(f"{archive.url} has no file {archive.member}")
        return file.read()
