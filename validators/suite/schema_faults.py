"""What a suite has that its published schema does not permit: in words, and with the line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ovnguard.validators.manifest.yaml_reader import Node

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

Step = str | int


def schema_errors(schema: str, document: Mapping[str, Any]) -> "list[ValidationError]":
    """Return what a document has that the schema in a file of this package does not permit, by place."""
    return sorted(_validator(schema).iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))


def line_at(tree: Node, steps: Sequence[Step]) -> int:
    """Return the line of the value at ``steps``, or of its nearest ancestor in the text."""
    node = tree
    line = node.position.line
    for step in steps:
        found = _member(node, step)
        if found is None:
            break
        line, node = found
    return line


def _member(node: Node, step: Step) -> tuple[int, Node] | None:
    """Line and node of a member; the keys of a suite match in any case."""
    if step not in node.members and isinstance(step, str):
        step = next((key for key in node.members if isinstance(key, str) and key.lower() == step.lower()), step)
    if step not in node.members:
        return None
    member = node.members[step]
    position = node.keys.get(step, member.position) if isinstance(step, str) else member.position
    return position.line, member


def at(where: Sequence[Step]) -> str:
    """Return a path as texts begin with it; nothing for the whole document."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where)
    return f"{text.lstrip('.')}: " if text else ""


def words(error: "ValidationError") -> str:
    """Return the fault, in words that do not repeat the whole value."""
    kinds = {"object": "a mapping", "array": "a list", "string": "a text"}
    match error.validator:
        case "not":
            return "must not be given"
        case "required":
            assert isinstance(error.instance, dict), "only mappings have required members"
            assert isinstance(error.validator_value, list), "required holds a list"
            return f"{', '.join(_missing(error.validator_value, error.instance))} must be given"
        case "type":
            return f"must be {kinds.get(str(error.validator_value), error.validator_value)}"
        case "minLength":
            return "must not be empty"
        case _:
            return error.message if len(error.message) <= 200 else f"{error.message[:200]} ..."


def _missing(wanted: list[str], instance: Mapping[str, Any]) -> Iterator[str]:
    return (key for key in wanted if key not in instance)


@cache
def _validator(schema: str) -> "Draft202012Validator":
    # jsonschema takes longer to import than everything else here, and `--help` does not need it.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(files("ovnguard.validators.suite").joinpath(schema).read_bytes()))
