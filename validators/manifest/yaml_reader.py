"""YAML and JSON text to plain values, and on demand the position of every field.

Built on PyYAML's event stream. It has its own resolver and constructor, because PyYAML reads base-60 numbers and dates.
A text means what it means to sigs.k8s.io/yaml (source: go.yaml.in/yaml/v2, ``decode.go``), except for duplicate keys,
of which that takes the last one silently: they are errors in manifests and warnings in rule suites.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

import yaml

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.json_reader import NotJSON, load_json
from ovnguard.validators.manifest.positions import MAX_DEPTH, BadYAML, Node, Position, decoded
from ovnguard.validators.manifest.yaml_builder import MAX_NODES, Builder, Warn, position_of

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

_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_TAG_DIRECTIVES: Final = 100
"""libyaml compares each directive and each tag with all directives. Manifests have none."""
_TAG_DIRECTIVE: Final = lazy_pattern("(?:^|[\r\x85\u2028\u2029])\ufeff?%TAG", re.MULTILINE)
_STARTS_AS_JSON: Final = re.compile(rb"[ \t\r\n]*[{\[]")


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
    MAX_DEPTH, keys longer than MAX_KEY, more than MAX_NODES nodes or MAX_CHARACTERS characters with aliases expanded,
    and as many aliases as go-yaml refuses.
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
        builder = Builder(parser, positions=True, warn=warn)
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
        place = position_of(event)
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
        builder = Builder(parser, positions=positions, warn=warn)
        while (document := builder.next_document()) is not None:
            yield document
    except yaml.YAMLError as error:
        raise _bad(error) from None
    finally:
        parser.dispose()


def _parser(text: bytes) -> Any:
    if _has_many_directives(text):
        raise BadYAML(f"more than {_MAX_TAG_DIRECTIVES} %TAG directives", Position(1, 1))
    try:
        return _PARSER(text)
    except yaml.YAMLError as error:
        raise _bad(error) from None


def _has_many_directives(text: bytes) -> bool:
    found = _TAG_DIRECTIVE.finditer(decoded(text)) if text.count(b"%") > _MAX_TAG_DIRECTIVES else iter(())
    return next(islice(found, _MAX_TAG_DIRECTIVES, None), None) is not None


def _bad(error: yaml.YAMLError) -> BadYAML:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "malformed YAML"
        position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        return BadYAML(f"malformed YAML: {message}", position)
    if isinstance(error, yaml.reader.ReaderError):
        return BadYAML(f"not YAML text: {error.reason} (byte {error.position})", Position(1, 1), is_text=False)
    return BadYAML(f"malformed YAML: {error}", Position(1, 1))
