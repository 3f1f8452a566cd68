"""The operator's manifests in a folder: rendered ones, or templates that are rendered with values.

Links are followed inside of the folder only.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.rollout.loop.rollout_resources import resource_of
from ovnguard.reconciler.rollout.plan.folders import FILES, NODE_FILE, folders_of, path
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.phase_manifests import CLUSTER, PhaseManifests
from ovnguard.reconciler.rollout.plan.template_rendering import Problem, Value, render
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.positions import BadYAML
from ovnguard.validators.manifest.yaml_reader import load_all, load_first
from ovnguard.validators.network.parse_values import dig, mapping, text_of

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_MAX_BYTES: Final = 4 * 1024 * 1024
_MAX_FILES: Final = 200


def read_values(file: Path) -> tuple[Mapping[str, Value], tuple[Problem, ...]]:
    """Read the values of templates: one YAML mapping of strings, whole numbers, booleans, null and mappings."""
    text, problems = _text(file, str(file))
    if problems:
        return {}, problems
    try:
        value, _ = load_first(text.encode(), lambda *_: None)
    except BadYAML as error:
        return {}, (Problem(str(file), error.position.line, error.message),)
    if not isinstance(value, dict):
        return {}, (Problem(str(file), 1, "is not a mapping of values"),)
    wrong = [name for name, each in value.items() if not _is_value(each)]
    problem = "value {} is not a string, a whole number, a boolean, null, or a mapping of those"
    return value, tuple(Problem(str(file), 1, problem.format(name)) for name in wrong)


def _is_value(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and isinstance(each, str | int) for key, each in value.items())
    return value is None or isinstance(value, str | int)


class ManifestFolder:
    """The folder ``root``; without ``values`` its files are rendered already."""

    def __init__(self, root: Path, values: Mapping[str, Value] | None) -> None:
        self._root, self._values = root, values

    def phases(self, flavour: Flavour) -> tuple[Folder, ...]:
        """Return the phases of which the folder has manifests: one for 4.13, which has them in the flavour's folder."""
        legacy = (self._root / path(flavour, Folder.LEGACY, NODE_FILE)).is_file()
        return (Folder.LEGACY,) if legacy else (Folder.SINGLE, Folder.TEMPORARY, Folder.FINAL)

    def files(self, flavour: Flavour, folder: Folder) -> tuple[str, ...]:
        """Return the paths of all manifests of a phase, in the order in which the operator applies them."""
        found = [f"{each}/{name}" for each in folders_of(flavour, folder) for name in sorted(self._names(each))]
        return tuple(found[:_MAX_FILES])

    def rendered(self, file: str) -> tuple[str, tuple[Problem, ...]]:
        """Return the text of a manifest, and why it cannot be used."""
        text, problems = self._inside(file)
        return (text, problems) if problems or self._values is None else render(file, text, self._values)

    def load(self, flavour: Flavour, folders: tuple[Folder, ...]) -> tuple[PhaseManifests, tuple[Problem, ...]]:
        """Read the manifests of several phases."""
        problems = [*self._absent(flavour, folders)]
        listed = {each: self.files(flavour, each) for each in folders}
        objects: dict[str, tuple[JsonObject, ...]] = {}
        for file in dict.fromkeys(file for files in listed.values() for file in files):
            text, found = self.rendered(file)
            documents = [] if found else [*_documents(file, text)]
            problems += [*found, *(each for each in documents if isinstance(each, Problem))]
            objects[file] = tuple(each for each in documents if not isinstance(each, Problem))
        return PhaseManifests(listed, objects), tuple(problems)

    def _absent(self, flavour: Flavour, folders: tuple[Folder, ...]) -> Iterator[Problem]:
        for folder in folders:
            for file in FILES[flavour][folder]:
                if not (self._root / path(flavour, folder, file)).is_file():
                    yield Problem(path(flavour, folder, file), 1, f"is not in {self._root}")

    def _names(self, folder: str) -> Iterator[str]:
        place = self._root / folder
        for each in place.iterdir() if place.is_dir() else ():
            if each.suffix in _SUFFIXES and not each.is_dir():
                yield each.name

    def _inside(self, file: str) -> tuple[str, tuple[Problem, ...]]:
        place = self._root / file
        if not place.resolve().is_relative_to(self._root.resolve()):
            return "", (Problem(file, 1, f"is a link that leads out of {self._root}"),)
        return _text(place, file)


def _text(place: Path, name: str) -> tuple[str, tuple[Problem, ...]]:
    try:
        if place.exists() and not place.is_file():
            return "", (Problem(name, 1, "is not a file"),)
        with place.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            return "", (Problem(name, 1, f"is larger than {_MAX_BYTES} bytes"),)
        return raw.decode(), ()
    except OSError as error:
        return "", (Problem(name, 1, f"cannot be read: {error.strerror}"),)
    except UnicodeDecodeError:
        return "", (Problem(name, 1, "is not UTF-8"),)


def _documents(file: str, text: str) -> Iterator[JsonObject | Problem]:
    """Iterate over the objects of a manifest. Of a key that is repeated the last one counts, as for the operator."""
    try:
        for document in load_all(text.encode(), warn=lambda *_: None):
            problem = _wrong(document.value)
            yield Problem(file, document.line, problem) if problem else document.value
    except BadYAML as error:
        yield Problem(file, error.position.line, error.message)


def _wrong(obj: object) -> str:
    if not isinstance(obj, dict) or not text_of(dig(obj, "metadata", "name")):
        return "is not an object with a name"
    resource = resource_of(obj)
    if resource is None:
        return f"{text_of(obj.get('apiVersion'))} {text_of(obj.get('kind'))} is no kind of the operator's manifests"
    if resource.namespaced is not bool(text_of(dig(obj, "metadata", "namespace"))):
        return f"{resource.kind} needs {'a' if resource.namespaced else 'no'} namespace"
    cluster = mapping(obj, "metadata", "annotations").get(CLUSTER)
    return "" if cluster in (None, "management") else f"{CLUSTER} {cluster!r} is not known"
