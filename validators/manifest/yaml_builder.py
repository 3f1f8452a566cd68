"""Builds values and position trees from the events of a YAML parser: anchors, merge keys, duplicate keys."""

from collections.abc import Callable, Iterator
from sys import intern
from typing import Any, Final, NamedTuple

import yaml

from ovnguard.validators.manifest.positions import LONG_KEY, MAX_DEPTH, MAX_KEY, NOWHERE, BadYAML, Node, Position
from ovnguard.validators.manifest.scalars import Scalar, key_text, resolve, tagged

MAX_NODES: Final = 2_000_000
MAX_CHARACTERS: Final = 64 * 1024 * 1024
"""As many as a file may have; aliases can repeat a long text."""
_MERGE: Final = "<<"
_VERSIONS: Final = (None, (1, 1))
_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_FEW_DECODED: Final = 400_000
_MANY_DECODED: Final = 4_000_000

Warn = Callable[[str, Position], None]
"""Gets a message about a part of the text that has no effect, and its position."""


def position_of(event: Any) -> Position:
    """Return where an event starts."""
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


# The value of an anchor while its collection is being read.
_UNFINISHED: Final = object()


class _Anchored(NamedTuple):
    """What an anchor names: a value, and how many nodes and characters each of its aliases stands for."""

    value: Any
    node: Node
    nodes: int = 1
    characters: int = 0


class Builder:
    """Builds values from one parser's events. Anchors are valid inside their document."""

    def __init__(self, parser: Any, *, positions: bool, warn: Warn | None = None) -> None:
        self._next = parser.get_event
        self._positions = positions
        self._warn = warn
        self._anchors: dict[str, _Anchored] = {}
        self._nodes = 0
        self._aliased = 0
        self._characters = 0

    def next_document(self) -> tuple[Any, Node, Position] | None:
        """Return value, position tree and start of the next document, None after the last one."""
        event = self._next()
        while not isinstance(event, yaml.DocumentStartEvent):
            if isinstance(event, yaml.StreamEndEvent) or event is None:
                return None
            event = self._next()
        if event.version not in _VERSIONS:
            raise BadYAML("malformed YAML: found incompatible YAML document", position_of(event))
        self._anchors.clear()
        self._nodes = self._aliased = self._characters = 0
        first = self._next()
        value, node = self._value(first, 1)
        self._next()  # the end of the document
        return value, node, position_of(first)

    def _value(self, event: Any, depth: int) -> tuple[Any, Node]:
        if isinstance(event, yaml.ScalarEvent):
            node = self._count(event, 1)
            self._characters += len(event.value)
            scalar = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = _Anchored(scalar, node, 1, len(event.value))
            return scalar, node
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise BadYAML(f"nested deeper than {MAX_DEPTH} levels", position_of(event))
        nodes, characters = self._nodes, self._characters
        node = self._count(event, 1)
        unfinished = _Anchored(_UNFINISHED, node)
        if event.anchor:
            self._anchors[event.anchor] = unfinished
        mapping = isinstance(event, yaml.MappingStartEvent)
        value: Any = self._mapping(node, depth) if mapping else self._list(node, depth)
        # As in go-yaml, a repeated anchor inside replaces this one.
        if event.anchor and self._anchors[event.anchor] is unfinished:
            size = self._nodes - nodes, self._characters - characters
            self._anchors[event.anchor] = _Anchored(value, node, *size)
        return value, node

    def _count(self, event: Any, nodes: int) -> Node:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise BadYAML(f"more than {MAX_NODES} values in one document", position_of(event))
        return Node(position_of(event)) if self._positions else NOWHERE

    def _alias(self, event: Any) -> tuple[Any, Node]:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise BadYAML(f"unknown anchor {event.anchor!r}", position_of(event))
        if known.value is _UNFINISHED:
            raise BadYAML(f"anchor {event.anchor!r} value contains itself", position_of(event))
        self._aliased += known.nodes
        self._characters += known.characters
        self._count(event, 1 + known.nodes)
        if _is_excessive(self._aliased, self._nodes + 1):
            raise BadYAML("document contains excessive aliasing", position_of(event))
        if self._characters > MAX_CHARACTERS:
            raise BadYAML(f"more than {MAX_CHARACTERS} characters in one document", position_of(event))
        return known.value, known.node

    def _scalar(self, event: Any) -> Scalar:
        try:
            if event.tag:
                return tagged(event.tag, event.value)
            text: str = event.value
            return resolve(text) if event.implicit[0] else text
        except ValueError as error:
            raise BadYAML(str(error), position_of(event)) from None

    def _list(self, node: Node, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            item, member = self._value(event, depth + 1)
            if self._positions:
                node.members[len(items)] = member
            items.append(item)
        return items

    def _mapping(self, node: Node, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        merged: set[str] = set()
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if _merges(event):
                source = self._next()
                # go-yaml decodes the items of a list, but not the list
                self._nodes -= isinstance(source, yaml.SequenceStartEvent)
                value, member = self._value(source, depth + 1)
                merged.update(self._merge(pairs, node, _sources(source, value, member)))
                continue
            key = self._key(event)
            if key in pairs and key not in merged:
                self._again(key, position_of(event))
            merged.discard(key)
            pairs[key], member = self._value(self._next(), depth + 1)
            if self._positions:
                node.members[key] = member
                node.keys[key] = position_of(event)
        return pairs

    def _again(self, key: str, place: Position) -> None:
        if self._warn is None:
            raise BadYAML(f"duplicate key {key!r}", place)
        self._warn(f"duplicate key {key!r}; the last one counts", place)

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.ScalarEvent) and not event.anchor and not event.tag:
            self._count(event, 1)
            self._characters += len(event.value)
            key = key_text(event.value) if event.implicit[0] else event.value
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            key = _key_of(self._value(event, 1)[0])
        else:
            raise BadYAML("a mapping key must be a scalar", position_of(event))
        if key is None:
            raise BadYAML("a mapping key must be a string", position_of(event))
        if len(key) > MAX_KEY:
            raise BadYAML(LONG_KEY, position_of(event))
        # objects of a kind have the same keys: one text for all of them is less memory, and compared faster
        return intern(key)

    def _merge(self, pairs: dict[str, Any], node: Node, sources: list[tuple[dict[str, Any], Node]]) -> Iterator[str]:
        """Add the members of merged mappings to ``pairs``, replacing existing ones, and yield their keys."""
        for source, origin in sources:
            for key, item in source.items():
                pairs[key] = item
                if self._positions:
                    node.members[key] = origin.members.get(key, origin)
                    node.keys[key] = origin.keys.get(key, origin.position)
                yield key


def _is_excessive(aliased: int, decoded: int) -> bool:
    """Whether go-yaml refuses a document, of whose ``decoded`` nodes so many come from aliases.

    Source: go.yaml.in/yaml/v2, ``decode.go``: ``allowedAliasRatio``. It counts the document as a node.
    """
    if aliased <= 100 or decoded <= 1000:
        return False
    large = min(max(decoded - _FEW_DECODED, 0) / (_MANY_DECODED - _FEW_DECODED), 1)
    return aliased / decoded > 0.99 - 0.89 * large


def _merges(event: Any) -> bool:
    if not isinstance(event, yaml.ScalarEvent) or event.value != _MERGE:
        return False
    return bool(event.implicit[0] or event.tag == _MERGE_TAG)


def _sources(event: Any, value: Any, member: Node) -> list[tuple[dict[str, Any], Node]]:
    """Return the sources of a merge key, the strongest last: an earlier mapping in a list wins over a later one."""
    found = [(value, member)]
    if isinstance(value, list) and isinstance(event, yaml.SequenceStartEvent):
        found = [(item, member.members.get(index, member)) for index, item in enumerate(value)][::-1]
    if not all(isinstance(source, dict) for source, _ in found):
        raise BadYAML("a merge key (<<) takes mappings only", position_of(event))
    return found


def _key_of(value: Scalar) -> str | None:
    """Return the key that an anchored or tagged scalar means."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) else None
