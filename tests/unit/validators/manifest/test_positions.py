"""Lines are those that the readers count: else the shown line is another one than that of the finding."""

import pytest

from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import lines_of

LINES = ["a: 1", "b: x", "c: 3"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_lines_of_yaml(end, encoding):
    raw = end.join(LINES).encode(encoding)
    lines = lines_of(raw)
    assert lines == LINES
    found = {key: lines[at.line - 1][at.column - 1] for key, at in positions(raw, 0).keys.items()}
    assert found == {"a": "a", "b": "b", "c": "c"}


def test_lines_of_json():
    raw = '{"a": "\u2028\x85",\r\n "b": 2}'.encode()
    assert lines_of(raw) == ['{"a": "\u2028\x85",', ' "b": 2}']
    assert positions(raw, 0).keys["b"] == (2, 2)


def test_bytes_that_are_not_utf_8_have_lines():
    assert lines_of(b"a\xff\nb") == ["a\ufffd", "b"]
