"""Case files of network rules, named like the rule's module: objects with and without findings of the rule."""

import copy
import json
from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.bundled.catalog import AUTO, Catalog
from ovnguard.validators.manifest.yaml_reader import BadYAML, load_all
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from tests.support.paths import RULE_CASES

FOLDER: Final = RULE_CASES
_KEYS: Final = frozenset(
    {"name", "operation", "object", "old", "merge", "view", "findings", "unchecked", "schemaSet", "subresource", "user"}
)
_FINDING_KEYS: Final = frozenset({"field", "value", "detail", "severity"})


class BadCases(ValueError):
    """A file that holds no cases."""


@dataclass(frozen=True)
class Case:
    """One request; ``findings`` are all that the file's rule says of it, ``unchecked`` the facts that it misses."""

    rule: str
    name: str
    source: dict[str, Any]

    @property
    def speaks(self) -> bool:
        return bool(self.source["findings"])

    @property
    def is_silent(self) -> bool:
        return not self.source["findings"] and not self.unchecked

    @property
    def unchecked(self) -> list[str]:
        return [self.source["unchecked"]] if "unchecked" in self.source else []

    @property
    def request(self) -> Request:
        old, obj = self.source.get("old"), self.source.get("object")
        if "merge" in self.source:
            obj = merged(old if obj is None else obj, self.source["merge"])
        default = Operation.DELETE if obj is None else Operation.CREATE if old is None else Operation.UPDATE
        operation = Operation(self.source.get("operation", default))
        return Request(operation, obj, old, self.source.get("subresource", ""), self.source.get("user", ""))

    @property
    def view(self) -> ClusterView:
        return ObjectsView(list(_spread(self.source["view"]))) if "view" in self.source else EmptyView()

    def judge(self) -> Judgement:
        return judge(copy.deepcopy(self.request), self.view, _catalog(self.source.get("schemaSet", AUTO)))


def files() -> list[Path]:
    """Every case file."""
    return sorted(FOLDER.glob("*/*.yaml"))


@cache
def cases() -> tuple[Case, ...]:
    """Every case of every file that can be read; `read` says what is wrong with the others."""
    found: list[Case] = []
    for path in files():
        with suppress(BadCases):
            found += read(path)
    return tuple(found)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396: mappings are merged, null removes, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def read(path: Path) -> list[Case]:
    """The cases of a file, one document for each rule of the module with its name. Raises BadCases."""
    try:
        documents = load_all(path.read_bytes())
    except (BadYAML, ValueError) as error:
        raise BadCases(f"{path.name}: {error}") from error
    return [case for document in documents for case in _cases(path.name, document.value)]


def _cases(file: str, document: Any) -> Iterator[Case]:
    _check(file, document, {"rule", "cases"}, {"rule", "anchors", "cases"})
    where = f"{file}: {document['rule']}"
    for index, source in enumerate(document["cases"]):
        _check(f"{where}[{index}]", source, {"name", "findings"}, _KEYS)
        for finding in source["findings"]:
            _check(f"{where}[{index}].findings", finding, {"field", "detail"}, _FINDING_KEYS)
        yield Case(document["rule"], str(source["name"]), source)


def _spread(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Objects of a view; ``{times: 3, of: OBJECT}`` stands for three, with 0, 1 and 2 where OBJECT has a ``$``."""
    for item in items:
        if "times" not in item:
            yield item
            continue
        text = json.dumps(item["of"])
        yield from (json.loads(text.replace("$", str(index))) for index in range(item["times"]))


def _check(where: str, found: Any, needed: Set[str], known: Set[str]) -> None:
    keys = set(found) if isinstance(found, dict) else set()
    if missing := needed - keys:
        raise BadCases(f"{where}: needs {sorted(missing)}")
    if unknown := keys - known:
        raise BadCases(f"{where}: unknown {sorted(unknown)}")


@cache
def _catalog(schema_set: str) -> Catalog:
    return Catalog(schema_set=schema_set)
