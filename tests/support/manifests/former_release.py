"""The overlays of release 0.1.0, as kustomize rendered them at commit c901717c: tests/golden/deploy-0.1.0.jsonl."""

import json
from typing import Final

from tests.support.manifests.kustomized import Document
from tests.support.paths import GOLDEN

_ROWS: Final = [json.loads(line) for line in (GOLDEN / "deploy-0.1.0.jsonl").read_text(encoding="utf-8").splitlines()]
LEFT_OVER: Final = {"own": {("NetworkPolicy", "ovnguard-system", "ovnguard-webhook")}}
"""By overlay, what 0.1.0 has and today's does not."""


def former(name: str) -> list[Document]:
    """The documents of an overlay of 0.1.0."""
    return [row["object"] for row in _ROWS if name in row["overlays"]]
