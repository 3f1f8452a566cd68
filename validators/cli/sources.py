"""Where manifests come from: files, folders, standard input; each object with its file, line and earlier self.

A file ``NAME.old.yaml`` beside ``NAME.yaml`` holds the old objects of an update and is never judged alone. Nothing
here raises for bad input: what cannot be read becomes a `SourceProblem`.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from validators.cli.folders import manifests_below
from validators.json_types import JsonObject
from validators.yamldoc import BadYAML, Node, Position, load_all, positions

SUFFIXES: Final = (".yaml", ".yml", ".json")
OLD_MARK: Final = ".old"
STDIN: Final = "-"
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_FILES: Final = 100_000
_START: Final = Position(1, 1)
_TOKEN: Final = re.compile(r"\.?([^.\[\]]+)|\[([^\]]*)\]")


class Identity(NamedTuple):
    """What makes two manifests the same object."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """Something that could not be read as manifests: no object, so no verdict; what to do is in the message."""

    file: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """One object of one file. ``base`` is the path to it inside its YAML document (the items of a List have one)."""

    file: str
    index: int
    value: JsonObject
    raw: bytes
    base: tuple[str | int, ...] = ()
    old: JsonObject | None = None

    @property
    def identity(self) -> Identity:
        """Group, kind, namespace and name."""
        return identity_of(self.value)

    def position(self, field: str) -> Position:
        """Where ``field`` (``spec.a[0].b[key]``) stands, or its nearest ancestor that is written down."""
        node = positions(self.raw, self.index)
        for step in self.base:
            node = node.members[step]
        return _find(node, field)


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that the given paths hold, in a stable order."""

    files: int
    documents: tuple[Document, ...]
    problems: tuple[SourceProblem, ...]


def identity_of(value: JsonObject) -> Identity:
    """Return what identifies the object; missing parts are empty strings."""
    metadata = value.get("metadata")
    meta = metadata if isinstance(metadata, dict) else {}
    group = str(value.get("apiVersion", "")).rpartition("/")[0]
    return Identity(group, str(value.get("kind", "")), str(meta.get("namespace") or ""), str(meta.get("name") or ""))


def read_sources(paths: Sequence[str], old: Sequence[str] = (), stdin: bytes | None = None) -> Loaded:
    """Read every manifest under ``paths`` (files, folders, ``-``) and pair each with its old object.

    ``old`` names files or folders with the old objects of updates; objects there are matched by identity and win over
    ``NAME.old.yaml`` files. ``stdin`` is the text that ``-`` stands for; None reads it from the process.
    """
    reader = _Reader(stdin)
    found = [file for path in paths for file in reader.expand(path)]
    new_files = [file for file in found if not _is_old(file)]
    documents = [document for file in new_files for document in reader.read(file)]
    olds = {
        document.identity: document for path in old for file in reader.expand(path) for document in reader.read(file)
    }
    paired = tuple(replace(document, old=_old_value(olds, document)) for document in documents)
    paired = tuple(reader.pair_siblings(paired, [file for file in found if _is_old(file)], new_files))
    return Loaded(len(new_files), paired, tuple(reader.problems))


def _old_value(olds: dict[Identity, Document], document: Document) -> JsonObject | None:
    known = olds.get(document.identity)
    return known.value if known else None


def _is_old(file: str) -> bool:
    path = Path(file)
    return path.suffix in SUFFIXES and path.stem.endswith(OLD_MARK)


def _new_name(old_file: str) -> list[str]:
    path = Path(old_file)
    stem = path.stem.removesuffix(OLD_MARK)
    return [str(path.with_name(stem + suffix)) for suffix in SUFFIXES]


class _Reader:
    """Reads files once each and collects what is wrong with them."""

    def __init__(self, stdin: bytes | None) -> None:
        self._stdin = stdin
        self.problems: list[SourceProblem] = []

    def _problem(self, file: str, message: str, at: Position = _START) -> None:
        self.problems.append(SourceProblem(file, at.line, at.column, message))

    def expand(self, path: str) -> list[str]:
        """All manifest files that ``path`` stands for, sorted."""
        if path == STDIN:
            return [STDIN]
        try:
            if not Path(path).is_dir():
                return [path]
        except OSError as error:
            self._problem(path, f"cannot be read: {error.strerror}")
            return []
        files = manifests_below(path, SUFFIXES, self._problem)
        if files is None:
            return []
        if not files:
            self._problem(path, f"the folder holds no manifest ({', '.join(SUFFIXES)}); name one that does")
        if len(files) > MAX_FILES:
            self._problem(path, f"the folder holds {len(files)} manifests, more than {MAX_FILES}; judge it in parts")
            return []
        return files

    def read(self, file: str) -> Iterator[Document]:
        """All objects of one file, Lists unwrapped."""
        name = "<stdin>" if file == STDIN else file
        raw = self._bytes(file, name)
        if raw is None:
            return
        objects, problems = 0, len(self.problems)
        try:
            for index, document in enumerate(load_all(raw)):
                for each in self._objects(Document(name, index, {}, raw), document.value):
                    objects += 1
                    yield each
        except BadYAML as error:
            self._problem(name, error.message, error.position)
            return
        if not objects and problems == len(self.problems):
            self._problem(name, "holds no object; remove the file or write a manifest into it")

    def _bytes(self, file: str, name: str) -> bytes | None:
        try:
            if file == STDIN:
                raw = self._stdin if self._stdin is not None else sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
            else:
                with Path(file).open("rb") as stream:
                    raw = stream.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            self._problem(name, f"cannot be read: {error.strerror}")
            return None
        if len(raw) > MAX_FILE_BYTES:
            self._problem(name, f"larger than {MAX_FILE_BYTES >> 20} MiB; split it")
            return None
        return raw

    def _objects(self, document: Document, value: Any) -> Iterator[Document]:
        if not isinstance(value, dict):
            self._problem(document.file, "not a Kubernetes object: a mapping is expected", document.position(""))
            return
        if _is_list(value):
            yield from self._items(document, value)
            return
        missing = [key for key in ("apiVersion", "kind") if not isinstance(value.get(key), str) or not value[key]]
        if missing:
            text = f"not a Kubernetes object: {' and '.join(missing)} must be a non-empty string"
            self._problem(document.file, text, document.position(missing[0]))
            return
        yield replace(document, value=value)

    def _items(self, document: Document, value: JsonObject) -> Iterator[Document]:
        items = value.get("items")
        if not isinstance(items, list):
            text = f"items: a {value['kind']} needs a list of objects there"
            self._problem(document.file, text, document.position("items"))
            return
        named = {"apiVersion": value["apiVersion"], "kind": value["kind"].removesuffix("List")}
        for number, item in enumerate(items):
            whole = isinstance(item, dict) and item.get("apiVersion") and item.get("kind")
            given = item if whole or not isinstance(item, dict) or not named["kind"] else {**item, **named}
            yield from self._objects(replace(document, base=(*document.base, "items", number)), given)

    def pair_siblings(
        self, documents: Sequence[Document], old_files: Sequence[str], new_files: Sequence[str]
    ) -> Iterator[Document]:
        """Give documents of NAME.yaml the old objects of NAME.old.yaml."""
        known = set(new_files)
        olds: dict[str, dict[Identity, Document]] = {}
        for old_file in old_files:
            partner = next((name for name in _new_name(old_file) if name in known), None)
            if partner is None:
                text = f"is the old side of an update, but there is no {_new_name(old_file)[0]} beside it"
                self._problem(old_file, text)
                continue
            olds[partner] = {document.identity: document for document in self.read(old_file)}
        for name in known - olds.keys():
            sibling = Path(name).with_name(f"{Path(name).stem}{OLD_MARK}{Path(name).suffix}")
            if name != STDIN and sibling.suffix in SUFFIXES and sibling.is_file() and str(sibling) not in old_files:
                olds[name] = {document.identity: document for document in self.read(str(sibling))}
        used: set[tuple[str, Identity]] = set()
        for document in documents:
            pairs = olds.get(document.file, {})
            if document.identity in pairs:
                used.add((document.file, document.identity))
            if document.old is None and document.identity in pairs:
                yield replace(document, old=pairs[document.identity].value)
            else:
                yield document
        for name, pairs in sorted(olds.items()):
            for identity, old in pairs.items():
                if (name, identity) not in used:
                    text = (
                        f"{identity.kind} {identity.name!r} is the old side of an update, but {name} has no such object"
                    )
                    self._problem(old.file, text, old.position(""))


def _is_list(value: JsonObject) -> bool:
    """Whether kubectl would take the items of ``value`` instead of itself: a v1 List, or a WidgetList with items.

    Items of a WidgetList may leave out apiVersion and kind; they get the list's own, as apimachinery does
    (``unstructuredJSONScheme.decodeToList``).
    """
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not version:
        return False
    return (kind, version) == ("List", "v1") or (kind.endswith("List") and "items" in value)


def _find(node: Node, field: str) -> Position:
    """Follow the printed path as far as the document goes; a key of a map may itself hold dots and brackets."""
    best = node.position
    rest = field
    while rest:
        step = _longest_key(node, rest) or _token(rest)
        if step is None:
            break
        key, rest = step
        member = node.members.get(key)
        if member is None and isinstance(key, str) and key.isdigit():
            key = int(key)
            member = node.members.get(key)
        if member is None:
            break
        best = node.keys.get(key, member.position) if isinstance(key, str) else member.position
        node = member
    return best


def _longest_key(node: Node, rest: str) -> tuple[str | int, str] | None:
    """The written key that ``rest`` begins with, as ``.key`` or ``[key]``, the longest one first."""
    for key in sorted((key for key in node.members if isinstance(key, str)), key=len, reverse=True):
        for opening, closing in (("", ""), (".", ""), ("[", "]")):
            text = f"{opening}{key}{closing}"
            if rest.startswith(text) and (len(rest) == len(text) or closing or rest[len(text)] in ".["):
                return key, rest[len(text) :]
    return None


def _token(rest: str) -> tuple[str | int, str] | None:
    found = _TOKEN.match(rest)
    return (found[1] or found[2], rest[found.end() :]) if found else None
