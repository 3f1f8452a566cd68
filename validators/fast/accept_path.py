"""The accept path of one endpoint: it takes a request and returns the object as the server would store it, or None.

None means that the exact path must judge the request. It is the result whenever acceptance is not certain, also when
generated code raises an exception.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ovnguard.validators.fast import ordinary_metadata
from ovnguard.validators.fast.generated_module import Module
from ovnguard.validators.structural.objects.scale_subresource import Scale, check_scale
from ovnguard.validators.structural.schema.deep_equal import deep_equal

Object = dict[str, Any]


class Plan(NamedTuple):
    """A generated module and the names of its functions; ``rules`` and ``defaults`` are "" where there are none.

    ``drops_status``: the schema gives the same result for an object with a different status or none. ``typed``: two
    valid values that are equal in Python also have equal types.
    """

    module: Module
    values: str
    rules: str
    defaults: str
    drops_status: bool
    typed: bool


class Resource(NamedTuple):
    """The properties of an endpoint that the accept path needs besides its schema."""

    kind: str
    api_version: str
    namespaced: bool
    has_status: bool
    scale: Scale | None


class AcceptPath:
    """Accepts ordinary requests of one endpoint. Immutable and safe for concurrent use."""

    __slots__ = (
        "_api_version",
        "_defaults",
        "_drops_status",
        "_has_status",
        "_kind",
        "_namespaced",
        "_rules",
        "_scale",
        "_status",
        "_typed",
        "_values",
        "plan",
        "resource",
    )

    def __init__(self, plan: Plan, resource: Resource) -> None:
        self.plan = plan
        self.resource = resource
        names = plan.module.load()
        self._values: Callable[[Any], bool] = names[plan.values]
        self._rules: Callable[[Any, Any], bool] | None = names[plan.rules] if plan.rules else None
        self._defaults: Callable[[Any], Any] | None = names[plan.defaults] if plan.defaults else None
        self._drops_status = plan.drops_status
        self._typed = plan.typed
        self._kind = resource.kind
        self._api_version = resource.api_version
        self._namespaced = resource.namespaced
        self._has_status = resource.has_status
        self._scale = resource.scale
        filled = {} if self._defaults is None else self._defaults({})
        self._status = {"status": filled["status"]} if self._has_status and "status" in filled else {}

    def holds(self, new: Object, old: Object | None) -> bool:
        """Whether all rules certainly hold for prepared objects."""
        try:
            return self._rules is None or self._rules(new, old)
        except Exception:  # noqa: BLE001 - generated code may stumble over anything; all of it means the same
            return False

    def stored(self, new: Object, old: Object | None) -> Object:
        """The object as later reads return it: creation drops the status, and storage fills in its default."""
        return {**new, **self._status} if old is None and self._status else new

    def prepared(self, obj: Any, old: Any, subresource: str | None) -> tuple[Object, Object | None] | None:
        """Return new and old object as input of rules, if only a rule can still refuse the request; else None."""
        try:
            return self._prepared(obj, old, subresource)
        except Exception:  # noqa: BLE001 - as above
            return None

    def _prepared(self, obj: Any, old: Any, subresource: str | None) -> tuple[Object, Object | None] | None:
        if subresource and not self._has_status:
            return None
        if old is None and not subresource:
            new = self._create(self._ordinary(obj))
            return None if new is None else (new, None)
        return self._update(self._ordinary(obj), self._ordinary(old), status=bool(subresource))

    def knows(self, obj: Any) -> bool:
        """Whether the schema certainly knows every field of an object."""
        try:
            return bool(self._ordinary(obj)) and ordinary_metadata.is_stored(obj["metadata"], self._namespaced)
        except Exception:  # noqa: BLE001 - as above
            return False

    def _ordinary(self, obj: Object) -> Object:
        """The object with defaults filled in. Raises if it is still not ordinary."""
        if obj["kind"] != self._kind or obj["apiVersion"] != self._api_version:
            raise ValueError
        try:
            if self._values(obj):
                return obj
        except KeyError:
            # A field with a default, or a required one.
            if self._defaults is not None:
                filled: Object = self._defaults(obj)
                if filled is not obj and self._values(filled):
                    return filled
        raise ValueError

    def _create(self, obj: Object) -> Object | None:
        kept = ordinary_metadata.created(obj["metadata"], self._namespaced)
        if kept is None:
            return None
        new = {**obj, "metadata": kept}
        if self._has_status and "status" in new:
            if not self._drops_status:
                return None
            del new["status"]
        if self._scale is not None and check_scale(new, self._scale, spec=True):
            return None
        return new

    def _update(self, obj: Object, old: Object, *, status: bool) -> tuple[Object, Object] | None:
        metas = ordinary_metadata.updated(obj["metadata"], old["metadata"], self._namespaced)
        if metas is None:
            return None
        kept, before_meta = metas
        before = {**old, "metadata": before_meta}
        new = self._with_status(before, obj) if status else dict(obj)
        if self._has_status and ("status" in obj or "status" in old):
            if not self._drops_status:
                return None
            if not status:
                new = self._with_status(new, old)
        if status:
            new["metadata"] = _managed(before_meta, kept)
        else:
            generation = before_meta["generation"]
            kept["generation"] = generation if self._same(new, old) else generation + 1
            new["metadata"] = kept
        if self._scale is not None and check_scale(new, self._scale, spec=not status):
            return None
        return new, before

    def _same(self, new: Object, old: Object) -> bool:
        """Whether only metadata changed."""
        if len(new) != len(old):
            return False
        for key, one in new.items():
            if key != "metadata" and not (
                key in old and one == old[key] and (self._typed or deep_equal(one, old[key]))
            ):
                return False
        return True

    @staticmethod
    def _with_status(obj: Object, source: Object) -> Object:
        """A copy with the status of another object, or with none."""
        out = dict(obj)
        if "status" in source:
            out["status"] = source["status"]
        else:
            out.pop("status", None)
        return out


def _managed(old: Object, new: Object) -> Object:
    """The old metadata with the new managed fields."""
    out = {key: one for key, one in old.items() if key != "managedFields"}
    return {**out, "managedFields": new["managedFields"]} if "managedFields" in new else out
