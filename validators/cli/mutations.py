"""What the mutating webhook would change, as a unified diff of YAML."""

from collections.abc import Iterable, Iterator
from difflib import unified_diff

import yaml

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.document_findings import subject_of
from ovnguard.validators.cli.judge_documents import Mutation


def as_diff(mutations: Iterable[Mutation]) -> str:
    """Return one diff for each object, each line with a line end."""
    return "".join(line for mutation in mutations for line in _diff(mutation))


def _diff(mutation: Mutation) -> Iterator[str]:
    subject = subject_of(mutation.document)
    place = f"{subject.file}:{subject.line}"
    made_up = bool(mutation.document.shown_name)
    before, after = (
        _lines(_unnamed(each) if made_up else each) for each in (mutation.document.value, mutation.mutated)
    )
    return unified_diff(before, after, place, f"{subject.title}, after the mutating webhook")


def _unnamed(obj: JsonObject) -> JsonObject:
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "name"}}


def _lines(obj: JsonObject) -> list[str]:
    text = yaml.dump(obj, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=1000)
    return text.splitlines(keepends=True)
