"""Options of other validators, and what to write here."""

from collections.abc import Mapping
from typing import Final

PEER_OPTIONS: Final[Mapping[str, str]] = {
    "concurrency": "write --jobs",
    "format": "write --output",
    "ignore-missing-schemas": "leave it out: a kind without a schema is no error without --require-schemas",
    "local-crds": "write --crds",
    "local-schemas": "write --crds",
    "no-color": "write --color=never",
    "output-format": "write --output",
    "recursive": "leave it out: folders are read with their subfolders",
    "reject": "write --require-schemas",
    "schema-location": "write --crds",
    "skip-kinds": "write --skip",
    "skip-missing-schemas": "leave it out: a kind without a schema is no error without --require-schemas",
    "strict": "leave it out: unknown and duplicate fields are always refused",
    "summary": "leave it out: the last lines are a summary",
    "threads": "write --jobs",
}
"""By name without dashes: those of kubeconform, kubeval, kubectl-validate and flux-schema, and of kubectl."""
