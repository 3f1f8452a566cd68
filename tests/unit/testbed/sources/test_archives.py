"""Archives of registries: only the pinned octets, only the named member."""

import hashlib
import io
import tarfile

import pytest

from tests.testbed.command import CommandError
from tests.testbed.pins import Archive
from tests.testbed.sources.archives import extracted, member_of


def packed() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        entry = tarfile.TarInfo("a-1/schema.json")
        entry.size = 2
        tar.addfile(entry, io.BytesIO(b"{}"))
    return buffer.getvalue()


RAW = packed()
URL = "https://registry.example.com/a-1.tar.gz"
DIGEST = hashlib.sha256(RAW).hexdigest()


def test_the_member() -> None:
    assert extracted(RAW, Archive(URL, DIGEST, "a-1/schema.json", "schema.json")) == b"{}"


def test_other_octets_than_the_pinned_ones() -> None:
    with pytest.raises(CommandError, match=f"^{URL} has the digest {DIGEST}, 00 is wanted$"):
        extracted(RAW, Archive(URL, "00", "a-1/schema.json", "schema.json"))


def test_a_member_that_there_is_not() -> None:
    with pytest.raises(CommandError, match=f"^{URL} has no file a-1/other$"):
        extracted(RAW, Archive(URL, DIGEST, "a-1/other", "schema.json"))


def test_only_https() -> None:
    with pytest.raises(CommandError, match=r"^file:///etc/passwd is no https URL$"):
        member_of(Archive("file:///etc/passwd", DIGEST, "a", "b"))
