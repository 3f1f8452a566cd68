"""The positions of the fields of one document of a text."""

from functools import lru_cache

from ovnguard.validators.manifest.positions import Node
from ovnguard.validators.manifest.yaml_reader import documents


def positions(text: bytes, index: int) -> Node:
    """Return the position tree of document number ``index`` of ``text`` (from 0, empty documents not counted).

    Raises IndexError if there is none. The next call about the same text reads on from there.
    """
    trees = _trees(text)
    if index < trees.read:
        _trees.cache_clear()
        trees = _trees(text)
    return trees.at(index)


class _Trees:
    """The position trees of one text, of which only the last is kept: together they are larger than the text."""

    def __init__(self, text: bytes) -> None:
        self._documents = documents(text, positions=True)
        self._last: Node | None = None
        self.read = -1
        """The number of the last tree."""

    def at(self, index: int) -> Node:
        while self.read < index:
            found = next(self._documents, None)
            if found is None:
                raise IndexError(index)
            self._last = found[1]
            self.read += 1
        if self._last is None:
            raise IndexError(index)
        return self._last


@lru_cache(maxsize=1)
def _trees(text: bytes) -> _Trees:
    return _Trees(text)
