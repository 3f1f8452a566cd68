"""What helps against an invalid value: the value that is meant, its quotes, or the field that a rule speaks of."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.hints.field_hints import LONGEST, closest, shown
from ovnguard.validators.cli.hints.required_fields import number_text, required_hint
from ovnguard.validators.cli.hints.schema_places import MOST_KNOWN, schema_at, value_at
from ovnguard.validators.cli.hints.written_fields import OTHER_KINDS_VALUES
from ovnguard.validators.lazy_pattern import lazy_pattern

_QUOTED: Final = lazy_pattern(r'"((?:[^"\\]|\\.)*)"')
_WANTED: Final = lazy_pattern(r" in body must be of type (\w+): ")
_HAS: Final = lazy_pattern(r"has\(self\.([\w.]+)\)")
_FORBIDS: Final = lazy_pattern(
    r"\b(?:(?:is|are) only supported|(?:can't|cannot) be (?:set|specified)|can only be set)\b"
)
_CONDITION: Final = lazy_pattern(rf"\b(?:required|forbidden|must be set)\b|{_FORBIDS.pattern}")
_NOT_A_STRING: Final = lazy_pattern(
    r"cannot unmarshal (?:bool|number) into Go struct field \S*\.(labels|annotations) of"
)
_NOT_DECODED: Final = "json: cannot unmarshal "
_YAML_WORD: Final = lazy_pattern(r"y|yes|n|no|on|off", re.IGNORECASE)
_ONE_NUMBER: Final = lazy_pattern(r"[^\d.:/-]*(\d+)[^\d.:/-]*")
_SWITCHES: Final = {
    **dict.fromkeys(("true", "yes", "y", "on", "enable", "enabled", "1"), "true"),
    **dict.fromkeys(("false", "no", "n", "off", "disable", "disabled", "0"), "false"),
}
_NO_ATTACHMENT: Final = "missing NADName"

Schema = Callable[[], JsonObject | None]
"""Returns the OpenAPI schema of the object: reading it takes longer than most hints."""
Written = Callable[[str], str]
"""Returns the plain scalar at a path as the manifest has it, "" for any other value."""


def value_hint(error: FieldError, obj: JsonObject, schema: Schema, written: Written) -> str:
    """Return what helps against an error about a value, "" if nothing is known."""
    if error.type is ErrorType.NOT_SUPPORTED:
        return _supported(error, obj)
    if error.type is ErrorType.REQUIRED:
        return required_hint(error.field, schema()) if schema_at(schema() or {}, error.field) else ""
    if error.type is ErrorType.TYPE_INVALID and (wanted := _WANTED.search(error.detail)):
        return _of_type(error.field, wanted[1], value_at(obj, error.field), schema, written)
    if found := _NOT_A_STRING.search(error.detail):
        return _unquoted(f"metadata.{found[1]}", value_at(obj, f"metadata.{found[1]}"), written)
    if _NOT_DECODED in error.detail:
        wanted = (schema_at(schema() or {}, error.field) or {}).get("type", "")
        return _of_type(error.field, wanted, value_at(obj, error.field), schema, written)
    if error.detail.startswith(_NO_ATTACHMENT):
        return _attachment(obj)
    if _CONDITION.search(error.detail):
        return _condition(error, obj, schema())
    return ""


def _supported(error: FieldError, obj: JsonObject) -> str:
    value = error.bad_value
    if not isinstance(value, str) or len(error.detail) > LONGEST * MOST_KNOWN:
        return ""
    kind = str(obj.get("kind", ""))
    if elsewhere := OTHER_KINDS_VALUES.get((kind, error.field, value)):
        return f"a {kind} has no such value; did you mean {elsewhere}?"
    meant = closest(value, _QUOTED.findall(error.detail))
    return f"did you mean {meant}?" if meant else ""


def _of_type(path: str, wanted: str, value: Any, schema: Schema, written: Written) -> str:
    """The hint for a value of another type than the ``wanted`` one."""
    if wanted == "string" and isinstance(value, bool | int | float):
        return _quote_it(path, value, written)
    if wanted == "string" and isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return f"{path} is no list: write {value[0]}"
    if wanted in ("integer", "number") and isinstance(value, str):
        return _number(value, schema_at(schema() or {}, path) or {})
    if wanted == "boolean" and isinstance(value, str | int):
        meant = _SWITCHES.get(str(value).casefold(), "true or false")
        return f"write {meant} without quotes"
    if wanted == "array" and isinstance(value, str | int):
        return f"{path} is a list: write [{shown(value)}]"
    if wanted == "array" and isinstance(value, dict):
        return f"{path} is a list: begin each entry with a dash"
    if wanted == "object" and isinstance(value, list):
        return f"{path} is no list: write its fields without a dash"
    if wanted == "object" and isinstance(value, str):
        below = schema_at(schema() or {}, path)
        required: list[str] = (below or {}).get("required") or []
        return f"{path} is an object: write {{{required[0]}: {shown(value)}}}" if len(required) == 1 else ""
    return ""


def _number(value: str, schema: JsonObject) -> str:
    """The hint for a text in place of a number: the only digits in it, else which numbers the schema takes."""
    if value.isdecimal():
        return f"write {value} without quotes"
    if len(value) <= LONGEST and (found := _ONE_NUMBER.fullmatch(value)):
        return f"write {found[1]}: a number without letters and quotes"
    return f"write {number_text(schema)}"


def _quote_it(path: str, value: Any, written: Written) -> str:
    word = written(path)
    if isinstance(value, bool) and _YAML_WORD.fullmatch(word):
        return f"YAML reads {word} as {shown(value)}; quote it: {shown(word)}"
    return f"quote it: {shown(word or str(value))}"


def _unquoted(path: str, values: Any, written: Written) -> str:
    """The hint for a map of strings in which some value is not one."""
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, bool | int | float):
            return f"{path}.{key}: {_quote_it(f'{path}.{key}', value, written)}"
    return ""


def _attachment(obj: JsonObject) -> str:
    """The hint for a configuration without the name that OVN-Kubernetes' message calls NADName."""
    namespace, name = value_at(obj, "metadata.namespace") or "NAMESPACE", value_at(obj, "metadata.name")
    return f'NADName is the key netAttachDefName: add "netAttachDefName": "{namespace}/{name}" to spec.config'


def _condition(error: FieldError, obj: JsonObject, schema: JsonObject | None) -> str:
    """The hint for a rule that requires or forbids a field: the path of the field."""
    value = value_at(obj, error.field)
    # what follows is the condition, and may name other fields
    about = _CONDITION.split(error.detail, maxsplit=1)[0].casefold()
    for rule in _rules(schema_at(schema or {}, error.field), error.detail):
        fields = [each for each in dict.fromkeys(_HAS.findall(rule)) if each.rpartition(".")[2].casefold() in about]
        for field in fields[-1:]:
            path = f"{error.field}.{field}"
            if _has(value, field):
                return f"remove {path}, or change what forbids it"
            if _FORBIDS.search(error.detail):
                return ""
            return required_hint(path, schema, "set")
    return ""


def _rules(schema: Mapping[str, Any] | None, message: str) -> Iterator[str]:
    """The rules of a schema with this message."""
    for rule in (schema or {}).get("x-kubernetes-validations") or ():
        if str(rule.get("message", "")).strip() == message:
            yield str(rule.get("rule", ""))


def _has(value: Any, field: str) -> bool:
    return value_at(value, field) is not None
