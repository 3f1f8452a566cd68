"""Ratcheting: correlates old and new values, and drops the errors that an update may keep.

Source: apiserver, package ``pkg/cel/common`` (CorrelatedObject, MapList), and apiextensions-apiserver,
``pkg/apiserver/validation/ratcheting.go``. A value is correlated if its property is in both objects, or if its item has
the same key in both lists of type map. Errors of an unchanged value are dropped, unless they come from a branch of
anyOf, oneOf, allOf or not of a changed one.
"""

from collections.abc import Callable
from typing import Any, Final

from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.objects.value_check import Checker, Result
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.schema import Schema

_UNKNOWN: Final = object()
_SCALARS: Final = (bool, float, int, str)


def old_items(schema: Schema, items: object) -> Callable[[Any], Any]:
    """Return a function from a new item to the old item with the same keys, or to None."""
    names = schema.list_map_keys
    if schema.declared_type != "array" or schema.list_type != "map" or not names or type(items) is not list:
        return _nothing
    by_key: dict[Any, Any] = {}
    for item in items:
        key = _key(item, names)
        if key is not None:
            by_key.setdefault(key, item)
    return (lambda item: by_key.get(_key(item, names))) if by_key else _nothing


def _nothing(_: Any) -> None:
    return None


def _key(item: Any, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    if type(item) is not dict:
        return None
    key = []
    for name in names:
        value = item.get(name)
        if type(value) not in _SCALARS:
            return None
        # Go prints the floats of composite keys with six digits.
        key.append((type(value), f"{value:f}" if type(value) is float and len(names) > 1 else value))
    return tuple(key)


class Correlation:
    """A value with its old value. Children are created on demand and cached."""

    __slots__ = ("_children", "_equal", "_old_item", "new", "old", "schema")

    def __init__(self, new: Any, old: Any, schema: Schema) -> None:
        self.new = new
        self.old = old
        self.schema = schema
        self._equal: bool | None = None
        self._children: dict[str | int, Correlation | None] = {}
        self._old_item: Callable[[Any], Any] | None = None

    def key(self, name: str) -> "Correlation | None":
        """Return the correlation of a property or map entry, if both objects have it and a schema knows it."""
        known = self._children.get(name, _UNKNOWN)
        if known is not _UNKNOWN:
            return known  # type: ignore[return-value] # the sentinel is the only other thing in there
        child = None
        if type(self.old) is dict and type(self.new) is dict and name in self.old and name in self.new:
            schema = self.schema.properties.get(name) or self.schema.additional
            if schema is not None:
                child = Correlation(self.new[name], self.old[name], schema)
        self._children[name] = child
        return child

    def index(self, index: int) -> "Correlation | None":
        """Return the correlation of an item of the new list, if the old list has an item with its keys."""
        known = self._children.get(index, _UNKNOWN)
        if known is not _UNKNOWN:
            return known  # type: ignore[return-value] # as above
        child = None
        if type(self.old) is list and type(self.new) is list and index < len(self.new):
            if self.schema.list_type == "map" and self._old_item is None:
                self._old_item = old_items(self.schema, self.old)
            old = self._old_item(self.new[index]) if self._old_item is not None else None
            if old is not None and self.schema.items is not None:
                child = Correlation(self.new[index], old, self.schema.items)
        self._children[index] = child
        return child

    def equal(self) -> bool:
        """Return whether the value is unchanged. A value without a schema counts as changed."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        new, old = self.new, self.old
        kind = type(new)
        if kind is dict and type(old) is dict:
            return len(new) == len(old) and all(_equal(self.key(name)) for name in new)
        if kind is list and type(old) is list:
            if len(new) != len(old):
                return False
            for index in range(len(new)):
                child = self.index(index)
                if child is None:
                    # A list that is not of type map is compared as a whole. An item that is not in the old map is a
                    # change.
                    return self._old_item is None and deep_equal(old, new)
                if not child.equal():
                    return False
            return True
        return deep_equal(new, old)


def _equal(correlation: Correlation | None) -> bool:
    return correlation is not None and correlation.equal()


class RatchetingChecker(Checker):
    """A `Checker` that ignores errors of unchanged values."""

    __slots__ = ("_at", "_plain")

    def __init__(self, formats: Formats, correlation: Correlation, prefix: str = "") -> None:
        super().__init__(formats, prefix)
        self._plain = Checker(formats, prefix)
        self._at = correlation

    def check_root(self) -> Result:
        """Check the new value of this checker's correlation."""
        return self._forgive(self._at, self.check(self._at.new, self._at.schema))

    def branch(self, value: Any, schema: Schema, path: str) -> Result:
        """As `Checker.branch`. Branches ignore no errors."""
        return self._plain.check(value, schema, path)

    def child(self, result: Result, key: str, value: Any, schema: Schema, path: str) -> None:
        """As `Checker.child`, but ignores errors of an unchanged property."""
        # Old and new object have been converted to one version, so a change of these two is not visible.
        if key in {"apiVersion", "kind"} and path in {key, f".{key}"}:
            self._plain.add(result, value, schema, path)
        else:
            self._step(result, self._at.key(key), value, schema, path)

    def item(self, result: Result, index: int, value: Any, schema: Schema, path: str) -> None:
        """As `Checker.item`, but ignores errors of an unchanged item of a list of type map."""
        self._step(result, self._at.index(index), value, schema, path)

    def _step(self, result: Result, correlation: Correlation | None, value: Any, schema: Schema, path: str) -> None:
        if correlation is None:
            self._plain.add(result, value, schema, path)
            return
        above, self._at = self._at, correlation
        try:
            result.merge(self._forgive(correlation, self.check(value, schema, path)))
        finally:
            self._at = above

    @staticmethod
    def _forgive(correlation: Correlation, result: Result) -> Result:
        if result.errors and correlation.equal():
            return Result(matches=result.matches)
        return result
