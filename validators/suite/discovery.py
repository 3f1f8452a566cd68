"""Finds suites, CRDs, policies and FeatureGate manifests in folders, and reads each file once.

No other module of this package reads files. Layout: ``GROUP/VERSION/tests/CRDNAME/*.yaml`` next to the CRDs in
``GROUP/VERSION/zz_generated.crd-manifests`` (openshift/api), or in ``GROUP/VERSION`` itself; policies are in the folder
of ``tests``, too.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.yaml_reader import BadYAML, load_all
from ovnguard.validators.policy.decode import BINDING, POLICY
from ovnguard.validators.suite.suite import Definition, SuiteFault, mapping
from ovnguard.validators.suite.suite_paths import TESTS, is_suite

GENERATED: Final = "zz_generated.crd-manifests"
FEATURE_GATES: Final = Path("payload-manifests") / "featuregates"
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_FILES: Final = 200_000
_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})
_NAME: Final = re.compile(rb"""(?:policyN|n)ame["']?[ \t]*:[ \t]*["']?([A-Za-z0-9.-]+)""")

StrPath = str | os.PathLike[str]


class NoSuites(ValueError):
    """A path without a suite, or an unreadable path; the text contains the remedy."""


@dataclass(frozen=True, slots=True)
class SuiteLocation:
    """A suite file and the folder that its labels are relative to; ``fault`` says why the file is unreadable."""

    path: Path
    root: Path
    fault: str = ""

    def label(self, path: Path) -> str:
        """The name of ``path`` in reports: relative to the root, else as `shown`."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else shown(path)


def find_suites(paths: Sequence[StrPath]) -> list[SuiteLocation]:
    """Return the suite files under ``paths`` in a stable order, each once. A file in ``paths`` always counts as a
    suite.

    An unreadable folder is returned with a fault: it may contain suites, and skipping it could report a false "all
    passed". Raises NoSuites for a path that does not exist or contains no suite.
    """
    found: dict[Path, SuiteLocation] = {}
    for argument in paths:
        path = Path(os.path.abspath(argument))  # noqa: PTH100 - resolve() would follow links and change what users see
        if path.is_dir():
            places = _places(path)
            if not places:
                raise NoSuites(f"{argument}: holds no suite; suites are YAML files in a folder {TESTS}/CRDNAME")
        elif path.exists():
            places = [SuiteLocation(path, Path.cwd())]
        else:
            raise NoSuites(f"{argument}: no such file or folder")
        for place in places:
            found.setdefault(place.path, place)
    return list(found.values())


def _places(root: Path) -> list[SuiteLocation]:
    unreadable: list[OSError] = []
    places = [SuiteLocation(file, root) for file in _walk(root, unreadable) if is_suite(file)]
    places += [SuiteLocation(Path(error.filename), root, f"cannot be read: {error.strerror}") for error in unreadable]
    return sorted(places, key=lambda place: place.path)


def shown(path: Path) -> str:
    """Return ``path`` relative to the working folder when it is inside, else the full path."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises SuiteFault when the file is unreadable, too large or not regular."""
    try:
        # Opening a named pipe would block until a process writes to it.
        if not stat.S_ISREG(path.stat().st_mode):
            raise SuiteFault(f"{path}: is no regular file; remove it or name another folder")
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SuiteFault(f"{path}: cannot be read: {error.strerror}") from error
    if len(raw) > MAX_FILE_BYTES:
        raise SuiteFault(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB; split it")
    return raw


class Library:
    """The CRDs, policies and FeatureGate manifests of one run; each file is read on first use.

    ``warnings`` collects the settings in them that have no effect.
    """

    def __init__(
        self,
        crds: Sequence[StrPath] = (),
        feature_gates: StrPath | None = None,
        policies: Sequence[StrPath] = (),
    ) -> None:
        self._crds = [Path(os.path.abspath(path)) for path in crds]  # noqa: PTH100 - as above
        self._policies = [Path(os.path.abspath(path)) for path in policies]  # noqa: PTH100 - as above
        self._feature_gates = Path(feature_gates) if feature_gates is not None else None
        self.warnings: list[str] = []
        self._folders: dict[Path, list[tuple[Path, frozenset[bytes] | SuiteFault]]] = {}
        self._documents: dict[Path, list[JsonObject] | SuiteFault] = {}
        self._payloads: dict[Path, list[JsonObject]] = {}
        for path in (*self._crds, *self._policies):
            if not path.exists():
                raise NoSuites(f"{path}: no such file or folder")
        if self._feature_gates is not None and not self._feature_gates.is_dir():
            raise NoSuites(f"{self._feature_gates}: no such folder")

    def definitions(self, place: SuiteLocation, crd_name: str) -> "list[Definition | Damaged]":
        """Return the CRDs of this name that belong to a suite, by file name; `Damaged` for an unreadable file that may
        contain one.

        Raises SuiteFault when no CRD belongs to it.
        """
        folders = self._crds or [_folder_of_crds(place.path)]
        found = [
            each
            for each in self._named(place, folders, crd_name)
            if isinstance(each, Damaged)
            or (each.value.get("kind") == "CustomResourceDefinition" and each.name == crd_name)
        ]
        if not found:
            where = ", ".join(place.label(folder) for folder in folders)
            raise SuiteFault(f"no CRD {crd_name} in {where}; name its folder with --crds")
        return found

    def policies(self, place: SuiteLocation, name: str) -> "list[Definition | Damaged]":
        """As `definitions`, for the policies of this name and their bindings."""
        folders = self._policies or [_above_tests(place.path)]
        found = [
            each
            for each in self._named(place, folders, name)
            if isinstance(each, Damaged)
            or (each.value.get("kind") == POLICY and each.name == name)
            or (each.value.get("kind") == BINDING and mapping(each.value.get("spec")).get("policyName") == name)
        ]
        if all(isinstance(each, Definition) and each.value["kind"] == BINDING for each in found):
            where = ", ".join(place.label(folder) for folder in folders)
            raise SuiteFault(f"no {POLICY} {name} in {where}; name its folder with --policies")
        return found

    def _named(self, place: SuiteLocation, folders: Sequence[Path], name: str) -> "Iterator[Definition | Damaged]":
        """The objects of the files in which a name occurs."""
        for folder in folders:
            for path, names in self._files(folder):
                if isinstance(names, SuiteFault):
                    yield Damaged(place.label(path), str(names))
                elif name.encode() in names:
                    yield from self._definitions(place, path)

    def payload(self, place: SuiteLocation) -> Iterator[JsonObject]:
        """Yield the FeatureGate manifests for a suite. Raises SuiteFault when no folder contains them."""
        folder = self._feature_gates or next(
            (parent / FEATURE_GATES for parent in place.path.parents if (parent / FEATURE_GATES).is_dir()), None
        )
        if folder is None:
            raise SuiteFault(
                f"the suite names feature gates, but no folder above it holds {FEATURE_GATES}; "
                "name one with --feature-gates"
            )
        if folder not in self._payloads:
            files = [path for path in _walk(folder) if path.suffix in _SUFFIXES]
            self._payloads[folder] = [value for path in files for value in self._read(path)]
        yield from self._payloads[folder]

    def _files(self, folder: Path) -> list[tuple[Path, frozenset[bytes] | SuiteFault]]:
        """The files of a folder with the names that occur in each, so that only relevant files are parsed."""
        if folder not in self._folders:
            listed = _walk(folder) if folder in self._crds or folder in self._policies else _siblings(folder)
            self._folders[folder] = [(path, _names(path)) for path in sorted(listed) if path.suffix in _SUFFIXES]
        return self._folders[folder]

    def _definitions(self, place: SuiteLocation, path: Path) -> "Iterator[Definition | Damaged]":
        if path not in self._documents:
            try:
                self._documents[path] = self._read(path)
            except SuiteFault as fault:
                self._documents[path] = fault
        documents = self._documents[path]
        if isinstance(documents, SuiteFault):
            yield Damaged(place.label(path), str(documents))
            return
        yield from (Definition(path, place.label(path), value) for value in documents)

    def _read(self, path: Path) -> list[JsonObject]:
        """The objects of a file. Raises SuiteFault with file and line when it is not YAML."""
        warnings = self.warnings
        try:
            documents = list(
                load_all(read_bytes(path), warn=lambda text, at: warnings.append(f"{shown(path)}:{at.line}: {text}"))
            )
        except BadYAML as error:
            raise SuiteFault(f"{shown(path)}:{error.position.line}: {error.message}") from error
        return [document.value for document in documents if isinstance(document.value, dict)]


@dataclass(frozen=True, slots=True)
class Damaged:
    """An unreadable file that may contain a CRD or a policy; ``label`` is its path in reports."""

    label: str
    fault: str


def _names(path: Path) -> frozenset[bytes] | SuiteFault:
    try:
        return frozenset(_NAME.findall(read_bytes(path)))
    except SuiteFault as fault:
        return fault


def _above_tests(suite: Path) -> Path:
    return suite.parent.parent.parent


def _folder_of_crds(suite: Path) -> Path:
    above = _above_tests(suite)
    return above / GENERATED if (above / GENERATED).is_dir() else above


def _siblings(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except OSError as error:
        raise SuiteFault(f"{folder}: cannot be read: {error.strerror}") from error


def _walk(folder: Path, unreadable: list[OSError] | None = None) -> list[Path]:
    """Every file under ``folder``, sorted, without those in hidden or symlinked folders.

    Folders that cannot be listed are appended to ``unreadable``, or raise NoSuites when it is None. Too many files
    raise NoSuites.
    """
    if folder.is_file():
        return [folder]
    failed: list[OSError] = [] if unreadable is None else unreadable
    found: list[Path] = []
    for base, folders, files in os.walk(folder, onerror=failed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found.extend(Path(base, name) for name in files if not name.startswith("."))
        if len(found) > MAX_FILES:
            raise NoSuites(f"{folder}: holds more than {MAX_FILES} files; name a folder further down")
    if unreadable is None and failed:
        raise NoSuites(f"{failed[0].filename}: cannot be read: {failed[0].strerror}")
    return sorted(found)
