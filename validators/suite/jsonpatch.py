"""JSON Patch (RFC 6902) over JSON Pointer (RFC 6901), strictly: what the standard calls an error is one here.

One thing is added, because github.com/vmware-archive/yaml-patch does the patches of openshift/api's suites: the token
``key=value`` in a pointer stands for every object below, at any depth, whose member ``key`` is the text ``value``.

Documents are never changed: every operation copies the containers on its path and shares the rest.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")


class Op(StrEnum):
    """The operations of RFC 6902, section 4."""

    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"
    MOVE = "move"
    COPY = "copy"
    TEST = "test"


class PatchError(ValueError):
    """A patch that cannot be applied; the text names operation and pointer."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. ``value`` counts for add, replace and test, ``source`` (the member "from") for move and copy."""

    op: Op
    path: str
    value: Any = None
    source: str = ""


def apply_patch(document: Any, operations: Iterable[Operation]) -> Any:
    """Return the patched document. Raises PatchError at the first operation that cannot be done."""
    for operation in operations:
        try:
            document = _apply(document, operation)
        except PatchError as error:
            raise PatchError(f"{operation.op} {operation.path!r}: {error}") from None
    return document


def tokens(pointer: str) -> tuple[str, ...]:
    """Split a JSON Pointer into its unescaped reference tokens. Raises PatchError when it is none."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise PatchError("a JSON pointer is empty or begins with /")
    if _BAD_ESCAPE.search(pointer):
        raise PatchError("~ stands only in ~0 and ~1")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/"))


def _apply(document: Any, operation: Operation) -> Any:
    if "=" not in operation.path:
        return _apply_at(document, operation, tokens(operation.path))
    places = _expanded(document, tokens(operation.path))
    if not places:
        raise PatchError("no object is meant by it")
    for path in places:
        document = _apply_at(document, operation, path)
    return document


def _expanded(document: Any, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The pointers that a pointer with ``key=value`` tokens stands for."""
    routes: list[tuple[str, ...]] = [()]
    for token in path:
        key, equals, value = token.partition("=")
        if not equals or "=" in value:
            routes = [(*route, token) for route in routes]
            continue
        found = [(route, container) for route in routes for container in _there(document, route)]
        routes = [place for route, container in found for place in _holders(container, route, key, value)]
    return routes


def _there(document: Any, path: tuple[str, ...]) -> list[Any]:
    try:
        return [_get(document, path)]
    except PatchError:
        return []


def _holders(container: Any, path: tuple[str, ...], key: str, value: str) -> Iterator[tuple[str, ...]]:
    """The objects in ``container`` whose member ``key`` is ``value``; what lies inside of one is not searched."""
    if isinstance(container, dict):
        if container.get(key) == value:
            yield path
            return
        for name, member in container.items():
            yield from _holders(member, (*path, name), key, value)
    elif isinstance(container, list):
        for index, item in enumerate(container):
            yield from _holders(item, (*path, str(index)), key, value)


def _apply_at(document: Any, operation: Operation, path: tuple[str, ...]) -> Any:
    match operation.op:
        case Op.ADD:
            return _add(document, path, operation.value)
        case Op.REMOVE:
            return _remove(document, path)
        case Op.REPLACE:
            _get(document, path)
            return _put(document, path, operation.value)
        case Op.COPY:
            return _add(document, path, _get(document, tokens(operation.source)))
        case Op.MOVE:
            source = tokens(operation.source)
            if path[: len(source)] == source and path != source:
                raise PatchError(f"cannot move {operation.source!r} into itself")
            return _add(_remove(document, source), path, _get(document, source))
        case Op.TEST:
            if not same(_get(document, path), operation.value):
                raise PatchError("the value there is another one")
            return document


def _get(document: Any, path: tuple[str, ...]) -> Any:
    for depth, token in enumerate(path):
        document = document[_existing(document, token, path[: depth + 1])]
    return document


def _existing(container: Any, token: str, path: tuple[str, ...]) -> str | int:
    """The key or index of something that is there."""
    if isinstance(container, dict) and token in container:
        return token
    if isinstance(container, list) and _INDEX.fullmatch(token) and int(token) < len(container):
        return int(token)
    raise PatchError(f"there is nothing at {'/' + '/'.join(path)}")


def _put(document: Any, path: tuple[str, ...], value: Any) -> Any:
    """A copy of ``document`` with ``value`` in place of what is at ``path``."""
    if not path:
        return value
    key = _existing(document, path[0], path[:1])
    copied = document.copy()
    copied[key] = _put(document[key], path[1:], value)
    return copied


def _add(document: Any, path: tuple[str, ...], value: Any) -> Any:
    if not path:
        return value
    *parents, last = path
    container = _get(document, tuple(parents))
    if isinstance(container, dict):
        changed: Any = {**container, last: value}
    elif isinstance(container, list):
        place = len(container) if last == "-" else int(last) if _INDEX.fullmatch(last) else -1
        if not 0 <= place <= len(container):
            raise PatchError(f"{last!r} is no place in a list of {len(container)}")
        changed = [*container[:place], value, *container[place:]]
    else:
        raise PatchError("its parent is neither object nor list")
    return _put(document, tuple(parents), changed)


def _remove(document: Any, path: tuple[str, ...]) -> Any:
    if not path:
        raise PatchError("the whole document cannot be removed")
    *parents, last = path
    container = _get(document, tuple(parents))
    key = _existing(container, last, path)
    changed = container.copy()
    del changed[key]
    return _put(document, tuple(parents), changed)


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values (RFC 6902, section 4.6): numbers by value, and a boolean is no number."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)
