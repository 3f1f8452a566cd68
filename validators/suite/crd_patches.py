"""JSON patches (RFC 6902) of a CRD, with the pointers that the suites of openshift/api use.

Those suites target github.com/vmware-archive/yaml-patch. It adds one token to JSON pointers: ``key=value`` means every
object below, at any depth, whose member ``key`` is the text ``value``. This module resolves the token to plain pointers
for the library jsonpatch.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jsonpatch import JsonPatch, JsonPatchException
from jsonpointer import JsonPointer, JsonPointerException

_LONGEST: Final = 120

Operation = Mapping[str, Any]
"""One operation in the form of the standard: ``op``, ``path`` and, by operation, ``value`` or ``from``."""


class PatchError(ValueError):
    """A patch that cannot be applied; the text names operation and pointer."""


def apply_patch(document: Any, operations: Iterable[Operation]) -> Any:
    """Return the patched document; ``document`` is not changed.

    Raises PatchError at the first operation that cannot be applied.
    """
    patched = copy.deepcopy(document)
    for operation in operations:
        try:
            for path in _pointers(patched, operation["path"]):
                patched = JsonPatch([{**operation, "path": path}]).apply(patched, in_place=True)
        except (JsonPatchException, JsonPointerException) as error:
            raise PatchError(_message(operation, str(error))) from None
    return patched


def _message(operation: Operation, text: str) -> str:
    """Name the operation; jsonpatch may quote the whole document, so the text is cut."""
    source = f"{operation['from']!r} to " if "from" in operation else ""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    return f"{operation['op']} {source}{operation['path']!r}: {cut}"


def _pointers(document: Any, pointer: str) -> list[str]:
    """Return the plain pointers that ``pointer`` resolves to. Raises JsonPointerException when it matches no object."""
    if "=" not in pointer:
        return [pointer]
    paths: list[tuple[str, ...]] = [()]
    for token in JsonPointer(pointer).parts:
        key, equals, value = token.partition("=")
        if not equals or "=" in value:
            paths = [(*path, token) for path in paths]
            continue
        paths = [found for path in paths for found in _holders(_at(document, path), path, key, value)]
    if not paths:
        raise JsonPointerException("no object matches")
    return [JsonPointer.from_parts(path).path for path in paths]


def _at(document: Any, path: tuple[str, ...]) -> Any:
    """Return the value at a path, or None."""
    return JsonPointer.from_parts(path).resolve(document, None)


def _holders(container: Any, path: tuple[str, ...], key: str, value: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths of objects whose member ``key`` is ``value``, without searching inside a match."""
    if isinstance(container, dict):
        if container.get(key) == value:
            yield path
            return
        for name, member in container.items():
            yield from _holders(member, (*path, name), key, value)
    elif isinstance(container, list):
        for index, item in enumerate(container):
            yield from _holders(item, (*path, str(index)), key, value)
