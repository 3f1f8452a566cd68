"""Manifests of public projects: the Go modules in public_manifests.toml, downloaded when asked for."""

import json
import os
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

LIST: Final = Path(__file__).with_suffix(".toml")
CACHE: Final = Path.home() / ".cache" / "ovnguard" / "manifests"
_ENDINGS: Final = (".yaml", ".yml", ".json")
_MOST_BYTES: Final = 3_000_000
_DOWNLOAD_SECONDS: Final = 900


class Module(NamedTuple):
    """A Go module: its path, version and sum, and the globs of its manifests."""

    path: str
    version: str
    sum: str
    globs: tuple[str, ...]

    def download(self) -> Path:
        """Return the folder of the module, which the Go proxy serves once; its sum must be the listed one."""
        command = ["go", "mod", "download", "-json", f"{self.path}@{self.version}"]
        environment = os.environ | {"GOMODCACHE": str(CACHE), "GOFLAGS": "-modcacherw"}
        CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            command, cwd=CACHE, env=environment, check=True, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS
        )
        answer = json.loads(done.stdout)
        assert answer["Sum"] == self.sum, f"{self.path}@{self.version} has the sum {answer['Sum']}"
        return Path(answer["Dir"])

    def objects(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Iterate over the objects in its manifests, those of lists one by one, each with its file."""
        folder = self.download()
        for file in sorted({file for glob in self.globs for file in folder.glob(glob) if file.suffix in _ENDINGS}):
            if file.is_file() and file.stat().st_size <= _MOST_BYTES:
                text = file.read_text(encoding="utf-8", errors="replace")
                yield from ((str(file.relative_to(folder)), each) for each in _objects(text))


def modules() -> list[Module]:
    """Return the listed modules."""
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))["module"]
    return [Module(each["path"], each["version"], each["sum"], tuple(each["globs"])) for each in listed]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a text; none of a template, and of what is no YAML."""
    if "apiVersion" not in text or "{{" in text:
        return
    try:
        todo = list(yaml.load_all(text, yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return
    while todo:
        made = todo.pop()
        if not isinstance(made, dict):
            continue
        if str(made.get("kind")).endswith("List") and isinstance(made.get("items"), list):
            todo += made["items"]
        elif isinstance(made.get("apiVersion"), str) and isinstance(made.get("kind"), str):
            yield json.loads(json.dumps(made, default=str))
