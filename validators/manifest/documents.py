"""What reading manifests returns: objects with their place, and what could not be read."""

from functools import cached_property
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.inner_positions import inner_position
from ovnguard.validators.manifest.locate import find, value_position
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import START, Node, Position, lines_of

_PLAIN: Final = lazy_pattern(r"[\w.+-]+")


_WITHOUT_NAMESPACE: Final = frozenset(
    {
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    }
)
"""Kinds that are judged as updates, of which the API server drops a namespace."""


class Identity(NamedTuple):
    """The fields that two manifests of one object share."""

    group: str
    kind: str
    namespace: str
    name: str


class SourceProblem(NamedTuple):
    """Input that could not be read as manifests, so there is no object to judge. The message includes the remedy."""

    file: str
    line: int
    column: int
    message: str


class _Document(NamedTuple):
    """The fields of a `Document`."""

    file: str
    number: int
    value: JsonObject
    raw: bytes
    base: tuple[str | int, ...] = ()
    old: JsonObject | None = None
    start: Position = START
    shown_name: str = ""
    is_patch: bool = False


class Document(_Document):
    """One object of one file, in YAML document ``number`` (from 0).

    ``base`` is the path to it inside its YAML document (for items of a List). ``start`` is where the YAML document
    starts. ``shown_name`` is what reports call it in place of its name, if that is made up.
    ``is_patch``: a kustomization names the file, which was found in a folder, as a patch.
    """

    @cached_property
    def identity(self) -> Identity:
        """Group, kind, namespace and name."""
        return identity_of(self.value)

    def position(self, field: str) -> Position:
        """Return the position of ``field`` (``spec.a[0].b[key]``), or that of its nearest ancestor in the document."""
        if not field and not self.base:
            return self.start
        return find(self._node(), field)

    def written(self, field: str) -> str:
        """Return the plain scalar that is the value of ``field`` as the text has it; "" for any other value."""
        place = value_position(self._node(), field)
        lines = lines_of(self.raw)
        if place is None or place.line > len(lines):
            return ""
        found = _PLAIN.match(lines[place.line - 1], place.column - 1)
        return found[0] if found else ""

    def position_inside(self, field: str, text: str, offset: int) -> Position | None:
        """Return the position of a character of ``text``, the value of ``field``; None where lines do not show it."""
        start = value_position(self._node(), field)
        return None if start is None else inner_position(lines_of(self.raw), start, text, offset)

    def _node(self) -> Node:
        node = positions(self.raw, self.number)
        for step in self.base:
            node = node.members[step]
        return node


class EmptyList(NamedTuple):
    """A List without items. ``group`` and ``kind`` are those of its items; both are empty for a v1 List."""

    group: str
    kind: str


class SkippedFile(NamedTuple):
    """A file of another tool."""

    file: str
    tool: str


class Loaded(NamedTuple):
    """The objects and problems of the given paths, in a stable order, and the Lists that say that there are none.

    ``skipped`` are the files of other tools among them, which do not count as ``files``. ``unreadable`` stand for the
    texts with a syntax error, without a value.
    """

    files: int
    documents: tuple[Document, ...]
    problems: tuple[SourceProblem, ...]
    empty_lists: frozenset[EmptyList] = frozenset()
    skipped: tuple[SkippedFile, ...] = ()
    unreadable: tuple[Document, ...] = ()


def identity_of(value: JsonObject) -> Identity:
    """Return what identifies the object. Missing parts are empty strings."""
    metadata = value.get("metadata")
    meta = metadata if isinstance(metadata, dict) else {}
    group, kind = str(value.get("apiVersion", "")).rpartition("/")[0], str(value.get("kind", ""))
    namespace = "" if (group, kind) in _WITHOUT_NAMESPACE else str(meta.get("namespace") or "")
    return Identity(group, kind, namespace, str(meta.get("name") or ""))
