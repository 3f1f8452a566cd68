"""The Go types of the fields of Kubernetes' structs, read from their source: OpenAPI does not have their names.

gofmt writes the source, so a line is a field, and the first word of a line says what it is.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

_IMPORT: Final = re.compile(r'^(?:import)?\s+(?:(\w+) )?"([\w./-]+)"$', re.MULTILINE)
_STRUCT: Final = re.compile(r"^type (\w+) struct ?\{(?:\}|\n(.*?)^\})", re.MULTILINE | re.DOTALL)
_NAMED: Final = re.compile(r"^type (\w+) (= )?([\w.\[\]*]+)(?: //.*)?$", re.MULTILINE)
_FIELD: Final = re.compile(r'^\t(?:(\w+) +)?([\w.*\[\]]+) +`[^`\n]*?json:"([^"]*)"', re.MULTILINE)
_WORD: Final = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Za-z]\w*)(?!\w*\.)")
_PATH: Final = re.compile(r"[\w./-]+")
_BASIC: Final = frozenset({"string", "bool", "int32", "int64", "float64", "byte", "map"})


class _Source(NamedTuple):
    """One file: the path of its package, what its imports are called, and its text."""

    package: str
    imports: dict[str, str]
    text: str


class GoTypes:
    """The structs and named types of some modules.

    A type is written as Go writes it, but with the whole path of its package: ``[]k8s.io/api/core/v1.Container``.
    """

    def __init__(self, modules: Iterable[tuple[str, Path]]) -> None:
        self.named: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._structs: dict[str, list[tuple[str, str]]] = {}
        for module, folder in modules:
            for source in _sources(module, folder):
                self._read(source)

    def _read(self, source: _Source) -> None:
        for name, alias, text in _NAMED.findall(source.text):
            (self._aliases if alias else self.named)[f"{source.package}.{name}"] = _qualified(text, source)
        for name, body in _STRUCT.findall(source.text):
            fields: list[tuple[str, str]] = []
            for called, text, tag in _FIELD.findall(body):
                key, _, options = tag.partition(",")
                inlined = not key and ("inline" in options or not called)
                if key != "-":
                    fields.append(("" if inlined else key or called, _qualified(text, source)))
            self._structs[f"{source.package}.{name}"] = fields

    def fields(self, struct: str) -> Iterator[tuple[str, str]]:
        """Iterate over the fields of a struct by their keys in JSON, each with its type.

        Those of an embedded struct have its name before the key: ``VolumeSource.emptyDir``.
        """
        while struct not in self._structs:
            struct = self._aliases.get(struct) or self.named[struct]
        for key, text in self._structs[struct]:
            if key:
                yield key, _PATH.sub(lambda found: self._aliases.get(found[0], found[0]), text)
            else:
                embedded = text.rpartition(".")[2]
                yield from ((f"{embedded}.{inner}", of) for inner, of in self.fields(text))


def _sources(module: str, folder: Path) -> Iterator[_Source]:
    for file in sorted(folder.rglob("*.go")):
        if file.name.startswith(("zz_", "generated")) or file.name.endswith("_test.go"):
            continue
        text = file.read_text(encoding="utf-8")
        package = f"{module}/{file.parent.relative_to(folder).as_posix()}"
        imports = {alias or path.rpartition("/")[2]: path for alias, path in _IMPORT.findall(text)}
        yield _Source(package, imports, text)


def _qualified(text: str, source: _Source) -> str:
    """Return a type without pointers and with the whole path of each package."""

    def whole(found: re.Match[str]) -> str:
        package, name = found[1], found[2]
        if package:
            return f"{source.imports.get(package, package)}.{name}"
        return name if name in _BASIC else f"{source.package}.{name}"

    return _WORD.sub(whole, text.replace("*", ""))
