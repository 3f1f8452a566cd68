"""YAML and JSON text to plain values, and on demand the position of every field.

Built on PyYAML's event stream. It has its own resolver and constructor, because PyYAML reads base-60 numbers and dates.
A text means what it means to sigs.k8s.io/yaml (source: go.yaml.in/yaml/v2, ``decode.go``), except for duplicate keys,
of which that takes the last one silently: they are errors in manifests and warnings in rule suites.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import Any, Final, NamedTuple

import yaml

from validators.manifest.json_reader import NotJSON, load_json
from validators.manifest.positions import MAX_DEPTH, NOWHERE, BadYAML, Node, Position
from validators.manifest.scalars import Scalar, key_text, resolve, tagged

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "BadYAML",
    "Node",
    "Position",
    "YAMLDocument",
    "documents",
    "load_all",
    "load_first",
]

MAX_NODES: Final = 2_000_000
_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE: Final = "<<"
_VERSIONS: Final = (None, (1, 1))
_MERGE_TAG: Final = "tag:yaml.org,2002:merge"
_STARTS_AS_JSON: Final = re.compile(rb"[ \t\r\n]*[{\[]")


# Gets a message about a part of the text that has no effect, and its position.
Warn = Callable[[str, Position], None]


class YAMLDocument(NamedTuple):
    """One document of a stream, and its start."""

    value: Any
    start: Position

    @property
    def line(self) -> int:
        """The line in which it starts, counted from 1."""
        return self.start.line


def load_all(text: bytes, *, only_json: bool = False, warn: Warn | None = None) -> Iterator[YAMLDocument]:
    """Yield each non-empty document of a YAML stream or of a JSON text.

    A text that starts with ``{`` or ``[`` is JSON. If it is not valid JSON, but YAML in flow style, it is read as that,
    unless ``only_json``. With ``warn`` all is read as YAML, and duplicate keys are reported as in `load_first`.

    Raises BadYAML with the position of the error: syntax, duplicate keys, unknown anchors, nesting deeper than
    MAX_DEPTH, more than MAX_NODES nodes with aliases expanded.
    """
    found = (
        documents(text, positions=False, only_json=only_json)
        if warn is None
        else _yaml_documents(text, positions=False, warn=warn)
    )
    yield from (YAMLDocument(value, start) for value, _, start in found if value is not None)


def load_first(text: bytes, warn: Warn) -> tuple[Any, Node]:
    """Return value and position tree of the first document, as sigs.k8s.io/yaml reads it. The value is None for no
    document.

    ``warn`` gets what has no effect: a key that is repeated later, of which the last one counts, and everything after
    the first document. Raises BadYAML as `load_all` does, except for duplicate keys.
    """
    parser = _parser(text)
    try:
        builder = _Builder(parser, positions=True, warn=warn)
        value, node, _ = builder.next_document() or (None, Node(Position(1, 1)), Position(1, 1))
        _warn_of_more(parser, warn)
        return value, node
    except yaml.YAMLError as error:
        raise _bad(error) from None
    finally:
        parser.dispose()


def _warn_of_more(parser: Any, warn: Warn) -> None:
    """Warn about the start of a second document that is not empty."""
    try:
        event = parser.get_event()
        while event is not None and not isinstance(event, yaml.StreamEndEvent):
            if isinstance(event, yaml.NodeEvent) and not (isinstance(event, yaml.ScalarEvent) and not event.value):
                break
            event = parser.get_event()
        else:
            return
        place = _at(event)
    except yaml.YAMLError as error:
        place = _bad(error).position
    warn("everything after the first YAML document has no effect", place)


def documents(text: bytes, *, positions: bool, only_json: bool = False) -> Iterator[tuple[Any, Node, Position]]:
    """Yield value, position tree and start of each document of `load_all`; the trees are empty unless ``positions``."""
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


def _yaml_documents(text: bytes, *, positions: bool, warn: Warn | None = None) -> Iterator[tuple[Any, Node, Position]]:
    parser = _parser(text)
    try:
        builder = _Builder(parser, positions=positions, warn=warn)
        while (document := builder.next_document()) is not None:
            yield document
    except yaml.YAMLError as error:
        raise _bad(error) from None
    finally:
        parser.dispose()


def _parser(text: bytes) -> Any:
    try:
        return _PARSER(text)
    except yaml.YAMLError as error:
        raise _bad(error) from None


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


# The value of an anchor while its collection is being read.
_UNFINISHED: Final = object()


class _Builder:
    """Builds values from one parser's events. Anchors are valid inside their document."""

    def __init__(self, parser: Any, *, positions: bool, warn: Warn | None = None) -> None:
        self._next = parser.get_event
        self._positions = positions
        self._warn = warn
        self._anchors: dict[str, tuple[Any, Node, int]] = {}
        self._nodes = 0

    def next_document(self) -> tuple[Any, Node, Position] | None:
        event = self._next()
        while not isinstance(event, yaml.DocumentStartEvent):
            if isinstance(event, yaml.StreamEndEvent) or event is None:
                return None
            event = self._next()
        if event.version not in _VERSIONS:
            raise BadYAML("malformed YAML: found incompatible YAML document", _at(event))
        self._anchors.clear()
        self._nodes = 0
        first = self._next()
        value, node = self._value(first, 1)
        self._next()  # the end of the document
        return value, node, _at(first)

    def _value(self, event: Any, depth: int) -> tuple[Any, Node]:
        if isinstance(event, yaml.ScalarEvent):
            node = self._count(event, 1)
            scalar = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (scalar, node, 1)
            return scalar, node
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise BadYAML(f"nested deeper than {MAX_DEPTH} levels", _at(event))
        before = self._nodes
        node = self._count(event, 1)
        unfinished = (_UNFINISHED, node, 0)
        if event.anchor:
            self._anchors[event.anchor] = unfinished
        mapping = isinstance(event, yaml.MappingStartEvent)
        value: Any = self._mapping(node, depth) if mapping else self._list(node, depth)
        # As in go-yaml, a repeated anchor inside replaces this one.
        if event.anchor and self._anchors[event.anchor] is unfinished:
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
        if value is _UNFINISHED:
            raise BadYAML(f"anchor {event.anchor!r} value contains itself", _at(event))
        self._count(event, size)
        return value, node

    def _scalar(self, event: Any) -> Scalar:
        try:
            if event.tag:
                return tagged(event.tag, event.value)
            text: str = event.value
            return resolve(text) if event.implicit[0] else text
        except ValueError as error:
            raise BadYAML(str(error), _at(event)) from None

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
                self._count(event, 1)
                source = self._next()
                value, member = self._value(source, depth + 1)
                merged.update(self._merge(pairs, node, _sources(source, value, member)))
                continue
            key = self._key(event)
            if key in pairs and key not in merged:
                self._again(key, _at(event))
            merged.discard(key)
            pairs[key], member = self._value(self._next(), depth + 1)
            if self._positions:
                node.members[key] = member
                node.keys[key] = _at(event)
        return pairs

    def _again(self, key: str, place: Position) -> None:
        if self._warn is None:
            raise BadYAML(f"duplicate key {key!r}", place)
        self._warn(f"duplicate key {key!r}; the last one counts", place)

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.ScalarEvent) and not event.anchor and not event.tag:
            self._count(event, 1)
            key = key_text(event.value) if event.implicit[0] else event.value
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            key = _key_of(self._value(event, 1)[0])
        else:
            raise BadYAML("a mapping key must be a scalar", _at(event))
        if key is None:
            raise BadYAML("a mapping key must be a string", _at(event))
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
        raise BadYAML("a merge key (<<) takes mappings only", _at(event))
    return found


def _key_of(value: Scalar) -> str | None:
    """Return the key that an anchored or tagged scalar means."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) else None
