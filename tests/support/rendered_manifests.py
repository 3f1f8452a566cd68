"""Manifests of others, rendered by what renders them in a cluster: Go's text/template, and helm."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.testbed.parts import Part


def rendered_templates(part: Part, values: Mapping[str, Any], *paths: Path) -> dict[str, str]:
    """The text of templates, and of those below folders, by their paths; a missing value is a RuntimeError."""
    return _rendered(part, values, *map(str, paths))


def rendered_chart(part: Part, values: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """The text of a chart's templates, and of those of its dependencies, by their paths in the chart."""
    return _rendered(part, values, str(folder), options=("-chart",))


def objects_in(rendered: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The objects of rendered manifests."""
    for text in rendered.values():
        yield from filter(None, yaml.safe_load_all(text))


def _rendered(part: Part, values: Mapping[str, Any], *paths: str, options: tuple[str, ...] = ()) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "values.json"
        file.write_text(json.dumps(values), encoding="utf-8")
        command = [str(part.tool("gotemplate")), *options, str(file), *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    rendered: dict[str, str] = json.loads(done.stdout)
    return rendered
