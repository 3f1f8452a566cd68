"""One request for an object of a served version: generated code accepts ordinary objects, the exact pipeline judges all
others.

The exact pipeline is imported when the first object needs it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.fast.accept_path import AcceptPath

if TYPE_CHECKING:
    from ovnguard.validators.crd.strategy import Decoded, Endpoint


class ServedVersion(NamedTuple):
    """The properties of a served version besides its schema, and the generated code that accepts ordinary objects."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    has_status: bool
    deprecation: tuple[str, ...]
    fast: AcceptPath | None


def served_version(at: "Endpoint") -> ServedVersion:
    """Return the served version of an endpoint."""
    kind = at.serves
    return ServedVersion(
        kind.group, kind.version, kind.kind, kind.plural, kind.namespaced, at.has_status, at.deprecation, at.fast
    )


class PreparedRequest:
    """A creation, an update (with ``old``) or, with ``subresource``, a status update. ``load`` returns the endpoint.

    The objects are prepared at most once, even if the caller counts unknown fields and then judges the request. Use an
    instance in one thread.
    """

    __slots__ = ("_decoded", "_load", "_obj", "_old", "_ordinary", "_replace", "_served", "_subresource")

    def __init__(
        self,
        served: ServedVersion,
        load: "Callable[[], Endpoint]",
        obj: Any,
        old: Any,
        subresource: str | None,
        *,
        replace: bool = False,
    ) -> None:
        self._served = served
        self._load = load
        self._obj = obj
        self._old = old
        self._subresource = subresource
        self._replace = replace
        self._decoded: Decoded | None = None
        # generated code completes the metadata of an update
        fast = None if replace else served.fast
        self._ordinary = None if fast is None else fast.prepared(obj, old, subresource)

    def unknown_fields(self) -> tuple[int, int]:
        """Return the numbers of unknown fields of the object and of the old object."""
        if self._ordinary is not None:
            return 0, 0
        unknown_of_old = 0 if self._old is None else len(unknown_fields(self._served, self._load, self._old))
        if self._served.fast is not None and self._served.fast.knows(self._obj):
            return 0, unknown_of_old
        if self._decoded is None:
            self._decoded = _decoded(self._load, self._obj)
        return len(self._decoded[1]) if self._decoded is not None else 0, unknown_of_old

    def verdict(self, field_validation: str = "Warn") -> Verdict:
        """Return the API server's answer. Field validation makes no difference to an object without unknown fields."""
        served = self._served
        if self._ordinary is not None and served.fast is not None and served.fast.holds(*self._ordinary):
            new = served.fast.stored(*self._ordinary)
            return Verdict(True, new, (), served.deprecation, self._cost, (), None, served.group, served.kind)
        return self._exact_verdict(field_validation, self._decoded)

    def _cost(self) -> int:
        """The CEL units that the rules of an accepted request cost: generated code does not count them."""
        return self._exact_verdict("Warn").cost

    def _exact_verdict(self, field_validation: str, decoded: "Decoded | None" = None) -> Verdict:
        from ovnguard.validators.crd.strategy import judge_exactly

        return judge_exactly(
            self._load(), self._obj, self._old, self._subresource, field_validation, decoded, replace=self._replace
        )


def unknown_fields(served: ServedVersion, load: "Callable[[], Endpoint]", obj: Any) -> tuple[str, ...]:
    """Return the unknown paths of an object; none if the object does not decode."""
    if served.fast is not None and served.fast.knows(obj):
        return ()
    decoded = _decoded(load, obj)
    return () if decoded is None else tuple(decoded[1])


def _decoded(load: "Callable[[], Endpoint]", obj: Any) -> "Decoded | None":
    from ovnguard.validators.structural.objects.prepare import Refused, read_new

    try:
        return read_new(load().serves, obj)
    except Refused:
        return None
