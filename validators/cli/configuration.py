"""The configuration file of the preflight, ``.ovnguard.yaml``: found upward from the first path, checked by its schema.

Its schema is published in docs/schemas/preflight-config-v1.json. Relative paths are relative to the file.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple

from ovnguard.validators.manifest.files import CONFIGURATION, is_file
from ovnguard.validators.manifest.locate import find
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.yaml_reader import BadYAML, Position, load_all

_MAX_OCTETS: Final = 1 << 20
_PATHS: Final = ("paths", "crds", "policies", "inventory", "old")
_MOVED: Final = {"requireSchemas": "--require-schemas", "schemaSet": "--schema-set", "skip": "--skip"}
"""Earlier keys, and the options that are in their place."""
CLUSTER: Final = "cluster"
"""In place of a path: the cluster of the kubeconfig."""
GIT: Final = "git:"
"""In place of a path: the beginning of a revision of git."""


class BadConfiguration(Exception):
    """A configuration cannot be used; the message names file, line and field, and what to do."""


class Ignore(NamedTuple):
    """A finding to leave out: its rule, and the kind, namespace and name of its object, "" for any.

    ``position`` is that of the entry in the configuration, None for an option.
    """

    rule: str
    kind: str = ""
    namespace: str = ""
    name: str = ""
    position: Position | None = None


class Weight(NamedTuple):
    """The severity of a rule, and the position of its entry."""

    severity: str
    position: Position


class Configuration(NamedTuple):
    """The values of a configuration by the destination of their option; ``file`` is empty without one.

    ``severities`` are by rule id. ``outside`` are the fields that ask git or a cluster, with their positions: whoever
    writes the manifests may have written this file, too.
    """

    file: str = ""
    values: Mapping[str, Any] = {}
    severities: Mapping[str, Weight] = {}
    ignores: tuple[Ignore, ...] = ()
    outside: Mapping[str, Position] = {}

    def without_outside(self, fields: Collection[str]) -> Mapping[str, Any]:
        """Return the values without what ``fields`` ask of git or a cluster."""
        kept = {field: [place for place in self.values[field] if not _is_outside(place)] for field in fields}
        return {**self.values, **kept}


def configuration_of(paths: Sequence[str]) -> Configuration:
    """Return the configuration for a run on ``paths``. Raises `BadConfiguration`."""
    file = _nearest(next((Path(path) for path in paths if path != "-"), Path()))
    return Configuration() if file is None else read_configuration(file)


def _nearest(path: Path) -> Path | None:
    """The configuration in the folder of ``path``, or in the nearest folder above."""
    # the folder of a link is where the link is; ".." is not a folder of its own
    place = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links
    return next((file for folder in (place, *place.parents) if is_file(file := folder / CONFIGURATION)), None)


def read_configuration(file: Path) -> Configuration:
    """Return the content of a configuration. Raises `BadConfiguration`."""
    shown = os.path.relpath(file)
    try:
        with file.open("rb") as stream:
            raw = stream.read(_MAX_OCTETS + 1)
        documents = list(load_all(raw)) if len(raw) <= _MAX_OCTETS and raw.strip() else []
    except OSError as error:
        raise BadConfiguration(f"{shown}: cannot be read: {error.strerror}") from None
    except BadYAML as error:
        raise BadConfiguration(f"{shown}:{error.position.line}:{error.position.column}: {error.message}") from None
    if len(raw) > _MAX_OCTETS:
        raise BadConfiguration(f"{shown}: larger than 1 MiB")
    if len(documents) > 1:
        raise BadConfiguration(f"{shown}: contains {len(documents)} documents; one is needed")
    value = documents[0].value if documents else {}
    _check(shown, raw, value)
    node = positions(raw, 0) if documents else None
    ignores = tuple(
        Ignore(
            **{key: text for key, text in entry.items() if key != "reason"}, position=find(node, f"ignore[{number}]")
        )
        for number, entry in enumerate(value.get("ignore", ()))
        if node is not None
    )
    severities = {
        rule: Weight(severity, find(node, f"severities.{rule}"))
        for rule, severity in value.get("severities", {}).items()
        if node is not None
    }
    outside = {
        field: find(node, field)
        for field in ("old", "inventory")
        if node is not None and any(map(_is_outside, value.get(field, ())))
    }
    own = {key: each for key, each in value.items() if key not in ("severities", "ignore")}
    for key in _PATHS:
        if key in own:
            own[key] = [_beside(file, path) for path in own[key]]
    return Configuration(shown, own, severities, ignores, outside)


def _beside(file: Path, path: str) -> str:
    """A path of the configuration as seen from the working folder; words such as ``cluster`` and ``git:`` stay."""
    if path == "-" or _is_outside(path):
        return path
    return os.path.relpath(file.parent.resolve() / path)


def _is_outside(place: str) -> bool:
    return place == CLUSTER or place.startswith(GIT)


def _check(shown: str, raw: bytes, value: Any) -> None:
    # most runs have no configuration
    from importlib.resources import files

    import jsonschema

    schema = json.loads(
        files("ovnguard.validators.cli").joinpath("preflight-config-v1.json").read_text(encoding="utf-8")
    )
    errors = jsonschema.Draft202012Validator(schema).iter_errors(value)
    first = min(errors, key=lambda error: [str(step) for step in error.absolute_path], default=None)
    if first is None:
        return
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first.absolute_path).lstrip(".")
    text = first.message
    if first.validator == "additionalProperties":
        known = list(first.schema["properties"])
        unknown = next(key for key in first.instance if key not in known)
        close = get_close_matches(str(unknown), known, 1)
        path = f"{path}.{unknown}" if path else str(unknown)
        if path in _MOVED:
            text = f"no longer a key; use the option {_MOVED[path]}"
        elif close:
            text = f"unknown key; did you mean {close[0]}?"
        else:
            text = f"unknown key; there are {', '.join(known)}"
    elif first.validator in {"maxItems", "maxProperties"}:
        text = f"{len(first.instance)} entries; there may be {first.validator_value}"
    elif first.validator == "required" and "reason" in first.message:
        text = "an ignored finding needs a reason"
    at = find(positions(raw, 0), path)
    raise BadConfiguration(f"{shown}:{at.line}:{at.column}: {path or 'the file'}: {text}")
