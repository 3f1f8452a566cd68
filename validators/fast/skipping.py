"""The exact checks of values, without the parts that are proven to be free of errors."""

from typing import Any, Final

from validators.fast.doubts import Look
from validators.structural.formats import Formats
from validators.structural.ratchet import Correlation, RatchetingChecker
from validators.structural.schema import Schema
from validators.structural.value_check import Checker, Result

# Nobody changes what a child returns. How many checks matched is only asked of branches, whose nodes are never proven.
_FINE: Final = Result()


class _Skipping(Checker):
    """Looks only at what is left of the objects and lists that were looked at before."""

    __slots__ = ()
    _look: Look

    def child(self, key: str, value: Any, schema: Schema, path: str) -> Result:
        """As `Checker.child`."""
        return _FINE if (id(value), id(schema)) in self._look.proven else super().child(key, value, schema, path)

    def item(self, index: int, value: Any, schema: Schema, path: str) -> Result:
        """As `Checker.item`."""
        return _FINE if (id(value), id(schema)) in self._look.proven else super().item(index, value, schema, path)

    def _inside(self, value: dict[str, Any], schema: Schema, path: str, result: Result) -> None:
        left = self._look.left.get((id(value), id(schema)))
        if left is None:
            super()._inside(value, schema, path, result)
            return
        # No such object has both properties and other keys.
        prefix = f"{path}." if path or not schema.properties else ""
        for key in left:
            child = schema.properties.get(key) or schema.additional
            assert child is not None
            result.merge(self.child(key, value[key], child, prefix + key))


class SkippingChecker(_Skipping):
    """A `Checker` that does not look into what is proven."""

    __slots__ = ("_look",)

    def __init__(self, formats: Formats, look: Look) -> None:
        super().__init__(formats)
        self._look = look


class RatchetingSkippingChecker(_Skipping, RatchetingChecker):
    """A `RatchetingChecker` that does not look into what is proven."""

    __slots__ = ("_look",)

    def __init__(self, formats: Formats, correlation: Correlation, look: Look) -> None:
        RatchetingChecker.__init__(self, formats, correlation)
        self._plain = SkippingChecker(formats, look)
        self._look = look
