"""The values of an enumeration, found in constant time: a definition may list a hundred thousand of them.

Source: kube-openapi, package ``pkg/validation/validate`` (``Enum``), which compares a value with each of them.
"""

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Final

from ovnguard.validators.base.field import not_supported
from ovnguard.validators.go.text import json_text

_TAGS: Final[dict[type, str]] = {bool: "boolean", int: "integer", float: "number"}
_LONGEST_NAME: Final = 256


class Enumeration(tuple[Any, ...]):
    """The values in their order. Whatever follows from them is computed once, when a value needs it."""

    @cached_property
    def keys(self) -> frozenset[Hashable]:
        """The keys of the values for `validators.structural.objects.value_check.is_among`; `marshal` can write them."""
        return frozenset(map(key_of, self))

    @cached_property
    def name(self) -> str:
        """A text that only enumerations with the same shown values have."""
        text = str(self._shown)
        if len(text) <= _LONGEST_NAME:
            return text
        from hashlib import blake2b  # loads OpenSSL, which few enumerations need

        return blake2b(text.encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def detail(self) -> str:
        """The detail of an error, which lists the values; all errors share it."""
        return not_supported("", None, self._shown).detail

    @property
    def _shown(self) -> list[str]:
        return [one if type(one) is str else json_text(one) for one in self]


def key_of(value: Any) -> Hashable:
    """A key that is equal for values of equal type and content."""
    kind = type(value)
    if kind is str or value is None:
        key: Hashable = value
        return key
    if kind is dict:
        # sorted, because marshal takes twice the time for each level of sets inside one another
        return ("object", tuple(sorted((key, key_of(one)) for key, one in value.items())))
    if kind is list:
        return ("array", tuple(map(key_of, value)))
    return (_TAGS[kind], value)
