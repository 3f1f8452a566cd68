"""YAML and JSON text to plain values, with the position of every field at hand when an error needs it.

Built on PyYAML's event stream: the resolver and the constructor are ours, because PyYAML guesses base-60 numbers and
dates and lets the last of two equal keys win.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import yaml

from validators.jsondoc import NotJSON, load_json
from validators.records import dataclass
from validators.scalars import resolve
from validators.textnodes import MAX_DEPTH, NOWHERE, BadYAML, Node, Position

__all__ = ["MAX_DEPTH", "MAX_NODES", "BadYAML", "Node", "Position", "YAMLDocument", "load_all", "positions"]

MAX_NODES: Final = 2_000_000
_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STR_TAGS: Final = ("tag:yaml.org,2002:str", "!")
_MERGE: Final = "<<"
_STARTS_AS_JSON: Final = re.compile(rb"[ \t\r\n]*[{\[]")


@dataclass(frozen=True, slots=True)
class YAMLDocument:
    """One document of a stream, and where it starts."""

    value: Any
    start: Position

    @property
    def line(self) -> int:
        """The line in which it starts, counted from 1."""
        return self.start.line


def load_all(text: bytes, *, only_json: bool = False) -> Iterator[YAMLDocument]:
    """Yield each non-empty document of a YAML stream or of a JSON text.

    A text that starts with ``{`` or ``[`` is JSON; if it is not, but YAML in flow style, it is read as that, unless
    ``only_json``. Raises BadYAML with the position of what is wrong: syntax, duplicate keys, unknown anchors, nesting
    deeper than MAX_DEPTH, more than MAX_NODES nodes after aliases are counted out.
    """
    documents = _documents(text, positions=False, only_json=only_json)
    yield from (YAMLDocument(value, start) for value, _, start in documents)


@lru_cache(maxsize=1)
def positions(text: bytes, index: int) -> Node:
    """Return the position tree of document number ``index`` (from 0, empty ones not counted) of ``text``."""
    for number, (_, node, _) in enumerate(_documents(text, positions=True)):
        if number == index:
            return node
    raise IndexError(index)


def _documents(text: bytes, *, positions: bool, only_json: bool = False) -> Iterator[tuple[Any, Node, Position]]:
    found: Iterable[tuple[Any, Node, Position]] = _yaml_documents(text, positions=positions)
    if _STARTS_AS_JSON.match(text):
        try:
            found = list(load_json(text, positions=positions, max_values=MAX_NODES))
        except NotJSON as error:
            if only_json:
                raise
            try:
                found = list(found)
            except BadYAML:
                raise error from None
    yield from (document for document in found if document[0] is not None)


def _yaml_documents(text: bytes, *, positions: bool) -> Iterator[tuple[Any, Node, Position]]:
    try:
        parser = _PARSER(text)
    except yaml.YAMLError as error:
        raise _bad(error) from None
    try:
        builder = _Builder(parser, positions=positions)
        while (document := builder.next_document()) is not None:
            yield document
    except yaml.YAMLError as error:
        raise _bad(error) from None
    finally:
        parser.dispose()


def _bad(error: yaml.YAMLError) -> BadYAML:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "malformed YAML"
        position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        return BadYAML(f"malformed YAML: {message}", position)
    if isinstance(error, yaml.reader.ReaderError):
        return BadYAML(f"not YAML text: {error.reason} (byte {error.position})", Position(1, 1))
    return BadYAML(f"malformed YAML: {error}", Position(1, 1))


def _at(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


class _Builder:
    """Builds values from one parser's events; anchors live as long as their document."""

    def __init__(self, parser: Any, *, positions: bool) -> None:
        self._next = parser.get_event
        self._positions = positions
        self._anchors: dict[str, tuple[Any, Node, int]] = {}
        self._nodes = 0

    def next_document(self) -> tuple[Any, Node, Position] | None:
        event = self._next()
        while not isinstance(event, yaml.DocumentStartEvent):
            if isinstance(event, yaml.StreamEndEvent) or event is None:
                return None
            event = self._next()
        self._anchors.clear()
        self._nodes = 0
        first = self._next()
        value, node = self._value(first, 1)
        self._next()  # the end of the document
        return value, node, _at(first)

    def _value(self, event: Any, depth: int) -> tuple[Any, Node]:
        if isinstance(event, yaml.ScalarEvent):
            node = self._count(event, 1)
            value = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, node, 1)
            return value, node
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise BadYAML(f"nested deeper than {MAX_DEPTH} levels", _at(event))
        before = self._nodes
        node = self._count(event, 1)
        value = self._mapping(node, depth) if isinstance(event, yaml.MappingStartEvent) else self._list(node, depth)
        if event.anchor:
            self._anchors[event.anchor] = (value, node, self._nodes - before)
        return value, node

    def _count(self, event: Any, nodes: int) -> Node:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise BadYAML(f"more than {MAX_NODES} values in one document", _at(event))
        return Node(_at(event)) if self._positions else NOWHERE

    def _alias(self, event: Any) -> tuple[Any, Node]:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise BadYAML(f"unknown anchor {event.anchor!r}", _at(event))
        value, node, size = known
        self._count(event, size)
        return value, node

    def _scalar(self, event: Any) -> Any:
        if event.implicit[0]:
            try:
                return resolve(event.value)
            except ValueError as error:
                raise BadYAML(str(error), _at(event)) from None
        if event.implicit[1] or event.tag in _STR_TAGS:
            return event.value
        return self._tagged(event)

    def _tagged(self, event: Any) -> Any:
        kind = event.tag.rpartition(":")[2]
        try:
            value = resolve(event.value)
        except ValueError as error:
            raise BadYAML(str(error), _at(event)) from None
        wanted: dict[str, type | tuple[type, ...]] = {"int": int, "float": (int, float), "bool": bool}
        if kind == "null":
            return None
        if kind in wanted and isinstance(value, wanted[kind]) and (kind == "bool" or not isinstance(value, bool)):
            return value
        raise BadYAML(f"tag {event.tag!r} is not one that Kubernetes manifests carry", _at(event))

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
        merged: list[tuple[Any, Node]] = []
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event)
            source = self._next()
            value, member = self._value(source, depth + 1)
            if key == _MERGE and event.implicit[0]:
                if not _mergeable(value):
                    raise BadYAML("a merge key (<<) takes mappings only", _at(source))
                merged.append((value, member))
                continue
            if key in pairs:
                raise BadYAML(f"duplicate key {key!r}", _at(event))
            pairs[key] = value
            if self._positions:
                node.members[key] = member
                node.keys[key] = _at(event)
        for value, member in merged:
            self._merge(pairs, node, value, member)
        return pairs

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.AliasEvent):
            value = self._alias(event)[0]
        elif isinstance(event, yaml.ScalarEvent):
            value = self._value(event, 1)[0]
        else:
            raise BadYAML("a mapping key must be a scalar", _at(event))
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return str(value)
        raise BadYAML("a mapping key must be a string", _at(event))

    def _merge(self, pairs: dict[str, Any], node: Node, value: Any, member: Node) -> None:
        sources = [(value, member)]
        if isinstance(value, list):
            sources = [(item, member.members.get(index, member)) for index, item in enumerate(value)]
        for source, origin in sources:
            for key, item in source.items():
                if key not in pairs:
                    pairs[key] = item
                    if self._positions:
                        node.members[key] = origin.members.get(key, origin)
                        node.keys[key] = origin.keys.get(key, origin.position)


def _mergeable(value: Any) -> bool:
    return all(isinstance(item, dict) for item in (value if isinstance(value, list) else [value]))
