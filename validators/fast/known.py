"""A request whose objects the exact path would keep as they are: what it need not do again.

The metadata is nobody's but the exact path's: it is decoded, addressed and checked there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from validators.fast.accept_path import FastPath
from validators.fast.accept_runtime import is_plain
from validators.fast.doubts import Doubts, Look
from validators.structural.objectmeta import BadMetadata, decode
from validators.structural.prepare import Kind, cannot_be_handled

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the new object, and the old one with its defaults; None on creation.

    ``plain_meta``: nothing about the metadata is to be refused, decoded or warned about. ``count`` tells what the rules
    cost, where not all of them were evaluated.
    """

    look: Look
    old: Object | None
    plain_meta: bool
    count: Callable[[], int]

    def read_new(self, kind: Kind) -> tuple[Object, list[str]]:
        """As `validators.structural.prepare.read_new`."""
        obj = self.look.object
        if self.plain_meta:
            return obj, self.look.unknown
        try:
            meta, dropped = decode(obj["metadata"])
        except BadMetadata as fault:
            raise cannot_be_handled(kind, obj, str(fault)) from None
        return {**obj, "metadata": meta}, [f"metadata.{path}" for path in dropped] + self.look.unknown

    def read_stored(self) -> Object:
        """As `validators.structural.prepare.read_stored`."""
        assert self.old is not None
        meta = self.old["metadata"]
        if not self.plain_meta:
            meta, _ = decode(meta, lenient=True)
        return {**self.old, "metadata": meta if meta.get("generation") else {**meta, "generation": 1}}


def known_of(
    fast: FastPath, doubts: Doubts, obj: Any, old: Any, count: Callable[[], int], *, strict: bool
) -> Known | None:
    """What is known of the objects of a creation or an update; None where that is too little.

    With ``strict`` field validation no more need be known of an object than that it has unknown fields.
    """
    filled = fast.filled(obj)
    look = None if filled is None else doubts.look(filled)
    if look is None or (look.unknown and not strict):
        return None
    before = None
    if old is not None and not look.unknown:
        before = fast.stored(old)
        if before is None:
            return None
    plain = not look.unknown and fast.has_plain_meta(look.object, before)
    if not plain and not (is_plain(look.object["metadata"]) and (before is None or is_plain(before["metadata"]))):
        return None
    return Known(look, before, plain, count)
