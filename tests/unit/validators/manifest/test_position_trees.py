import pytest

from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import Position
from ovnguard.validators.manifest.yaml_reader import documents

TEXT = b"---\na: 1\n---\n---\nb: 2\n---\n c: 3\n"


def test_documents_in_any_order():
    for index, key, place in [(1, "b", (5, 1)), (0, "a", (2, 1)), (2, "c", (7, 2)), (2, "c", (7, 2))]:
        assert positions(TEXT, index).keys == {key: Position(*place)}
    for index in (3, 4, 3):
        with pytest.raises(IndexError, match=str(index)):
            positions(TEXT, index)
    assert positions(TEXT, 0).keys == {"a": Position(2, 1)}


def test_documents_in_order_are_read_once(monkeypatch):
    read = []

    def counted(text: bytes, *, positions: bool):
        for each in documents(text, positions=positions):
            read.append(each)
            yield each

    monkeypatch.setattr("ovnguard.validators.manifest.position_trees.documents", counted)
    text = b"---\nx: 1\n" * 50
    for index in range(50):
        positions(text, index)
    assert len(read) == 50
