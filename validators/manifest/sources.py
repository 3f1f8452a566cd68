"""Reads manifests from files, folders and standard input: each object with its file, line and old version.

A file ``NAME.old.yaml`` next to ``NAME.yaml`` holds the old objects of an update and is never judged itself. No
function here raises for bad input: what cannot be read becomes a `SourceProblem`.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.documents import Document, EmptyList, Identity, Loaded, SkippedFile, SourceProblem
from ovnguard.validators.manifest.files import CONFIGURATION, STDIN, SUFFIXES, expand, is_file, is_hidden, once
from ovnguard.validators.manifest.other_tools import is_kustomization, other_tool, patch_files, tool_of
from ovnguard.validators.manifest.positions import START, BadYAML, Position
from ovnguard.validators.manifest.yaml_faults import yaml_fault
from ovnguard.validators.manifest.yaml_reader import load_all

OLD_MARK: Final = ".old"
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
INSTALL_API: Final = "install.openshift.io/v1"
INSTALL_KIND: Final = "InstallConfig"
_FIRST_READ: Final = 64 * 1024
"""Most files end before. A read of the whole limit at once would take memory of its size first, for every file."""
_OLD_ENDS: Final = tuple(f"{OLD_MARK}{suffix}" for suffix in SUFFIXES)


def _as_it_is(value: JsonObject) -> JsonObject:
    return value


def read_sources(
    paths: Sequence[str],
    old: Sequence[str] = (),
    stdin: bytes | None = None,
    stored: Callable[[JsonObject], JsonObject] = _as_it_is,
) -> Loaded:
    """Read every manifest under ``paths`` (files, folders, glob patterns, ``-``) and pair each with its old object.

    A file that is named twice, or reached by two links, is read once. ``old`` names files or folders with the old
    objects of updates: they are matched by identity and take precedence over ``NAME.old.yaml`` files. Each of these
    paths must hold the old version of some object. ``stdin`` is the text that ``-`` means; None reads it from the
    process. ``stored`` returns an object with the namespace in which it is stored, which identifies it.
    """
    reader = _Reader(stdin, stored)
    found = once(file for path in paths for file in reader.expand(path))
    new_files = [file for file in found if not _is_old(file)]
    documents = [document for file in new_files for document in reader.read(file)]
    olds = reader.olds(old, {document.identity for document in documents})
    paired = tuple(document._replace(old=_old_value(olds, document)) for document in documents) if olds else documents
    paired = tuple(reader.pair_siblings(paired, [file for file in found if _is_old(file)], new_files))
    skipped = tuple(dict.fromkeys(reader.skipped))
    problems, unreadable = tuple(reader.problems), tuple(reader.unreadable)
    return Loaded(len(new_files), paired, problems, frozenset(reader.empty_lists), skipped, unreadable)


def read_bytes(name: str, raw: bytes, stored: Callable[[JsonObject], JsonObject] = _as_it_is) -> Loaded:
    """Return the objects in the text of one file; ``name`` and ``stored`` are as for `read_sources`."""
    reader = _Reader(None, stored)
    documents = tuple(reader.objects_in(name, raw))
    return Loaded(1, documents, tuple(reader.problems), frozenset(reader.empty_lists), tuple(reader.skipped))


def _old_value(olds: dict[Identity, Document], document: Document) -> JsonObject | None:
    known = olds.get(document.identity)
    return known.value if known else None


def _is_closed(stream: object) -> bool:
    """Return whether the process was started without this stream (``<&-``), in place of which Python has None."""
    return stream is None


def _beside(file: str) -> str:
    """Return a name that two paths to the same file share. Unlike its real path, a link keeps its own folder."""
    path = Path(file)
    return file if file == STDIN else str(Path(os.path.realpath(path.parent), path.name))


def _is_old(file: str) -> bool:
    return file.endswith(_OLD_ENDS)


def _new_name(old_file: str) -> list[str]:
    path = Path(old_file)
    stem = path.stem.removesuffix(OLD_MARK)
    return [str(path.with_name(stem + suffix)) for suffix in SUFFIXES]


class _Reader:
    """Reads each file once and collects the problems."""

    def __init__(self, stdin: bytes | None, stored: Callable[[JsonObject], JsonObject]) -> None:
        self._stdin = stdin
        self._stored = stored
        self._stdin_read = False
        self._in_folders: set[str] = set()
        self._patches: set[str] = set()
        self.problems: list[SourceProblem] = []
        self.empty_lists: set[EmptyList] = set()
        self.skipped: list[SkippedFile] = []
        self.unreadable: list[Document] = []

    def _problem(self, file: str, message: str, at: Position = START) -> None:
        self.problems.append(SourceProblem(file, at.line, at.column, message))

    def expand(self, path: str) -> list[str]:
        """Return all manifest files that ``path`` means, sorted; files of other tools are only noted."""
        found = []
        for file in expand(path, self._problem):
            hidden = is_hidden(file, path)
            if hidden and Path(file).name == CONFIGURATION:
                continue
            tool = "hidden file" if hidden else "" if file == STDIN else other_tool(Path(file).absolute())
            if tool:
                self.skipped.append(SkippedFile(file, tool))
                self._patches |= patch_files(file, MAX_FILE_BYTES) if tool == "Kustomization" else set()
            else:
                found.append(file)
                self._in_folders |= {file} - {path}
        return found

    def read(self, file: str) -> Iterator[Document]:
        """Yield all objects of one file, with Lists unwrapped."""
        name = "<stdin>" if file == STDIN else file
        raw = self._bytes(file, name)
        if raw is None:
            return
        objects, problems, lists = 0, len(self.problems), len(self.empty_lists)
        for each in self.objects_in(name, raw):
            objects += 1
            yield each
        if not objects and lists == len(self.empty_lists) and file == STDIN and problems == len(self.problems):
            self._problem(name, "standard input contains no object; the command before the pipe wrote no manifest")

    def objects_in(self, name: str, raw: bytes) -> Iterator[Document]:
        """Yield all objects of a text; a syntax error ends it."""
        try:
            # YAML forbids tabs at the start of a token, but a text of only blanks contains none
            found = load_all(raw, only_json=name.endswith(".json")) if raw.strip() else ()
            for index, document in enumerate(found):
                yield from self._objects(Document(name, index, {}, raw, start=document.start), document.value)
        except BadYAML as error:
            fault = yaml_fault(raw, error.position)
            self._problem(name, f"{error.message}; {fault}" if fault else error.message, error.position)
            self.unreadable += [Document(name, 0, {}, raw)] if error.is_text else []

    def _bytes(self, file: str, name: str) -> bytes | None:
        try:
            if file == STDIN:
                if self._stdin_read:
                    self._problem(name, "standard input has already been read; use a file for one of the two")
                    return None
                self._stdin_read = True
                if self._stdin is None and _is_closed(sys.stdin):
                    self._problem(name, "cannot be read: standard input is closed")
                    return None
                raw = self._stdin if self._stdin is not None else sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
            else:
                with Path(file).open("rb") as stream:
                    raw = stream.read(_FIRST_READ)
                    if len(raw) == _FIRST_READ:
                        raw += stream.read(MAX_FILE_BYTES + 1 - _FIRST_READ)
        except OSError as error:
            self._problem(name, f"cannot be read: {error.strerror or error}")
            return None
        if len(raw) > MAX_FILE_BYTES:
            self._problem(name, f"larger than {MAX_FILE_BYTES >> 20} MiB; split it")
            return None
        return raw

    def _objects(self, document: Document, value: Any) -> Iterator[Document]:
        # a file that the caller names is meant to be a manifest
        if document.file in self._in_folders and not document.base and (tool := tool_of(value)):
            self.skipped.append(SkippedFile(document.file, tool))
            return
        if not isinstance(value, dict):
            self._problem(document.file, "not a Kubernetes object: a mapping is expected", document.position(""))
            return
        if _is_list(value):
            yield from self._items(document, value)
            return
        if is_kustomization(value):
            self.skipped.append(SkippedFile(document.file, "Kustomization"))
            return
        value = installer_kind(value)
        missing = [key for key in ("apiVersion", "kind") if not isinstance(value.get(key), str) or not value[key]]
        if missing:
            text = f"not a Kubernetes object: {' and '.join(missing)} must be a non-empty string"
            self._problem(document.file, text, document.position(missing[0]))
            return
        is_patch = document.file in self._in_folders and os.path.normpath(document.file) in self._patches
        yield document._replace(value=self._stored(value), is_patch=is_patch)

    def _items(self, document: Document, value: JsonObject) -> Iterator[Document]:
        # absent and null are an empty list, as for Go
        items = [] if value.get("items") is None else value["items"]
        if not isinstance(items, list):
            text = f"items: a {value['kind']} needs a list of objects there"
            self._problem(document.file, text, document.position("items"))
            return
        named = {"apiVersion": value["apiVersion"], "kind": value["kind"].removesuffix("List")}
        if not items:
            self.empty_lists.add(EmptyList(value["apiVersion"].rpartition("/")[0], named["kind"]))
        for number, item in enumerate(items):
            whole = isinstance(item, dict) and item.get("apiVersion") and item.get("kind")
            typed = item if whole or not isinstance(item, dict) or not named["kind"] else {**item, **named}
            yield from self._objects(document._replace(base=(*document.base, "items", number)), typed)

    def olds(self, paths: Sequence[str], judged: Set[Identity]) -> dict[Identity, Document]:
        """Return the objects below ``paths`` by identity; the last one counts.

        A path without a judged object is a problem.
        """
        found: dict[Identity, Document] = {}
        for path in paths:
            here = {document.identity: document for file in self.expand(path) for document in self.read(file)}
            if here and judged and not judged & here.keys():
                self._unmatched(path, list(here.values()))
            found |= here
        return found

    def _unmatched(self, path: str, documents: Sequence[Document]) -> None:
        first = documents[0]
        shown = f"{first.identity.kind} {first.identity.name!r}"
        if len(documents) == 1:
            text = f"{shown} is the old version in an update, but no new version is judged"
            self._problem(first.file, text, first.position(""))
            return
        count = len(documents)
        text = f"contains old versions of objects, but none of its {count} objects is judged ({shown} is the first)"
        self._problem("<stdin>" if path == STDIN else path, text)

    def pair_siblings(
        self, documents: Sequence[Document], old_files: Sequence[str], new_files: Sequence[str]
    ) -> Iterator[Document]:
        """Give documents of NAME.yaml the old objects of NAME.old.yaml."""
        known = {_beside(name): name for name in new_files} if old_files else {}
        paths = {_beside(name) for name in old_files}
        olds: dict[str, dict[Identity, Document]] = {}
        for old_file in old_files:
            partner = next((known[name] for name in map(_beside, _new_name(old_file)) if name in known), None)
            if partner is None:
                text = f"is the old version in an update, but there is no {_new_name(old_file)[0]} next to it"
                self._problem(old_file, text)
                continue
            olds[partner] = {document.identity: document for document in self.read(old_file)}
        for name in [name for name in new_files if name not in olds]:
            stem, dot, suffix = name.rpartition(".")
            sibling = f"{stem}{OLD_MARK}{dot}{suffix}"
            if dot + suffix in SUFFIXES and is_file(Path(sibling)) and _beside(sibling) not in paths:
                olds[name] = {document.identity: document for document in self.read(sibling)}
        used: set[tuple[str, Identity]] = set()
        for document in documents:
            pairs = olds.get(document.file, {})
            if document.identity in pairs:
                used.add((document.file, document.identity))
            if document.old is None and document.identity in pairs:
                yield document._replace(old=pairs[document.identity].value)
            else:
                yield document
        for name, pairs in sorted(olds.items()):
            for identity, old in pairs.items():
                if (name, identity) not in used:
                    text = (
                        f"{identity.kind} {identity.name!r} is the old version in an update,"
                        f" but {name} has no such object"
                    )
                    self._problem(old.file, text, old.position(""))


def installer_kind(value: JsonObject) -> JsonObject:
    """Return the object of an install-config.yaml in its own kind; any other object unchanged.

    The installer's file has ``apiVersion: v1`` and no kind. Its base domain and platform identify it.
    """
    if value.get("apiVersion") != "v1" or "kind" in value or not {"baseDomain", "platform"} <= value.keys():
        return value
    return {**value, "apiVersion": INSTALL_API, "kind": INSTALL_KIND}


def _is_list(value: JsonObject) -> bool:
    """Return whether kubectl would read the items of ``value`` instead of itself: a v1 List, or a WidgetList with
    items.

    Items of a WidgetList may leave out apiVersion and kind. As in apimachinery, they get the list's own
    (``unstructuredJSONScheme.decodeToList``).
    """
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not version:
        return False
    return (kind, version) == ("List", "v1") or (kind.endswith("List") and "items" in value)
