"""The exact checks of values, without the parts that are proven to be free of errors."""

from typing import Any, Final

from validators.fast.doubts import Proven
from validators.structural.formats import Formats
from validators.structural.model import Schema
from validators.structural.ratchet import Correlation, RatchetingChecker
from validators.structural.values import Checker, Result

# Nobody changes what a child returns. How many checks matched is only asked of branches, whose nodes are never proven.
_FINE: Final = Result()


class SkippingChecker(Checker):
    """A `Checker` that does not look into what is proven."""

    __slots__ = ("_proven",)

    def __init__(self, formats: Formats, proven: Proven) -> None:
        super().__init__(formats)
        self._proven = proven

    def child(self, key: str, value: Any, schema: Schema, path: str) -> Result:
        """As `Checker.child`."""
        return _FINE if (id(value), id(schema)) in self._proven else self.check(value, schema, path)

    def item(self, index: int, value: Any, schema: Schema, path: str) -> Result:
        """As `Checker.item`."""
        return _FINE if (id(value), id(schema)) in self._proven else self.check(value, schema, path)


class RatchetingSkippingChecker(RatchetingChecker):
    """A `RatchetingChecker` that does not look into what is proven."""

    __slots__ = ("_proven",)

    def __init__(self, formats: Formats, correlation: Correlation, proven: Proven) -> None:
        super().__init__(formats, correlation)
        self._plain = SkippingChecker(formats, proven)
        self._proven = proven

    def child(self, key: str, value: Any, schema: Schema, path: str) -> Result:
        """As `RatchetingChecker.child`."""
        return _FINE if (id(value), id(schema)) in self._proven else super().child(key, value, schema, path)

    def item(self, index: int, value: Any, schema: Schema, path: str) -> Result:
        """As `RatchetingChecker.item`."""
        return _FINE if (id(value), id(schema)) in self._proven else super().item(index, value, schema, path)
