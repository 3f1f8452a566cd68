"""The Go modules that the types of built-in kinds come from, pinned for each release."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

RELEASES: Final[Mapping[int, str]] = {
    29: "29.6",
    30: "30.14",
    31: "31.14",
    32: "32.13",
    33: "33.13",
    34: "34.4",
    35: "35.4",
    36: "36.3",
    37: "37.2",
}
"""The version of each minor release: v1.35.4 of ``k8s.io/kubernetes`` is v0.35.4 of the modules with its Go types."""
TYPES: Final = ("k8s.io/api", "k8s.io/apimachinery", "k8s.io/kube-aggregator", "k8s.io/apiextensions-apiserver")
DOCUMENTS: Final = "k8s.io/kubernetes"
_SECONDS: Final = 1200


def downloaded(modules: Sequence[str]) -> dict[str, Path]:
    """Return the folder of each module (``path@version``) in Go's module cache; `go` downloads what it lacks."""
    command = ["go", "mod", "download", "-json", *modules]
    environment = {**os.environ, "GOFLAGS": "-modcacherw"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=_SECONDS, env=environment)
    found: dict[str, Path] = {}
    decoder, text = json.JSONDecoder(), done.stdout.lstrip()
    while text:
        module, end = decoder.raw_decode(text)
        found[f"{module['Path']}@{module['Version']}"] = Path(module["Dir"])
        text = text[end:].lstrip()
    return found
