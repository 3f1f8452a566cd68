"""Values that a schema allows: built from its keywords, then checked against the structural schema."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from ovnguard.validators.go.text import INT64_MAX, INT64_MIN, json_text
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.objects.listtype import check_lists
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.enumeration import Enumeration
from ovnguard.validators.structural.schema.schema import Schema

_FORMATS: Final = Formats(35)
_MOST_ITEMS: Final = 4
_MOST_EXTRA: Final = 3
_LONGEST: Final = 40
_DEEPEST_ANY: Final = 8
_INT32: Final = (-(2**31), 2**31 - 1)
_SIMPLE: Final = st.text("abcxyz019-._/:", max_size=12)
_UNICODE: Final = st.text(st.characters(codec="utf-8"), max_size=8)
_ANYTHING: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | _SIMPLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_SIMPLE, inner, max_size=3),
    max_leaves=_DEEPEST_ANY,
)
_OF_FORMAT: Final[Mapping[str, st.SearchStrategy[str]]] = {
    "byte": st.binary(max_size=12).map(lambda raw: b64encode(raw).decode()),
    "cidr": st.sampled_from(["10.128.0.0/14", "192.0.2.0/24", "fd01::/48", "0.0.0.0/0"]),
    "date": st.dates().map(lambda day: day.isoformat()),
    "datetime": st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat() + "Z"),
    "duration": st.sampled_from(["0s", "1h30m", "250ms", "72h3m0.5s"]),
    "email": st.sampled_from(["a@example.com", "first.last@example.org"]),
    "hostname": st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?(\.[a-z]{2,5})?", fullmatch=True),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "mac": st.from_regex(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", fullmatch=True),
    "uri": st.sampled_from(["https://example.com/a?b=c", "http://192.0.2.1:8080/"]),
    "uuid": st.uuids().map(str),
    "uuid4": st.uuids(version=4).map(str),
}


def allowed(schema: Schema) -> st.SearchStrategy[Any]:
    """Return a strategy of values that have no structural error under ``schema``."""
    return _node(schema).filter(lambda value: is_allowed(value, schema))


def is_allowed(value: Any, schema: Schema) -> bool:
    """Whether the structural checks find no error."""
    return not Checker(_FORMATS).check(value, schema).errors and not check_lists(value, schema)


def members(value: Any) -> dict[str, Any]:
    """The value as a mapping; any other value becomes an empty one."""
    return value if isinstance(value, dict) else {}


def _node(schema: Schema) -> st.SearchStrategy[Any]:
    strategy = _composed(schema) if schema.composed else _plain(schema)
    return st.none() | strategy if schema.nullable else strategy


def _composed(schema: Schema) -> st.SearchStrategy[Any]:
    """The node merged with all of allOf and one branch of anyOf and oneOf; the filter handles `not`."""
    base = replace(schema, all_of=(), any_of=(), one_of=(), negated=None)
    for branch in schema.all_of:
        base = _both(base, branch)
    choices = [base]
    for branches in (schema.any_of, schema.one_of):
        choices = [_both(choice, branch) for choice in choices for branch in branches] if branches else choices
    strategies = [_node(choice) for choice in choices]
    return st.one_of(strategies).filter(lambda value: is_allowed(value, schema))


def _both(left: Schema, right: Schema) -> Schema:
    """A node that requires what both require, as far as one node can express it."""
    names = {**left.properties, **right.properties}
    shared = left.properties.keys() & right.properties.keys()
    properties = {
        name: _both(left.properties[name], right.properties[name]) if name in shared else names[name] for name in names
    }
    enum = left.enum or right.enum
    if left.enum and right.enum:
        enum = Enumeration(value for value in left.enum if value in right.enum)
    return replace(
        left,
        types=right.types or left.types,
        format=right.format or left.format,
        pattern=right.pattern or left.pattern,
        enum=enum,
        required=tuple(dict.fromkeys(left.required + right.required)),
        properties=properties,
        all_of=left.all_of + right.all_of,
        any_of=left.any_of or right.any_of,
        one_of=left.one_of or right.one_of,
        items=_both(left.items, right.items) if left.items and right.items else left.items or right.items,
        **{key: _tighter(max, left, right, key) for key in ("minimum", *_LOWER)},
        **{key: _tighter(min, left, right, key) for key in ("maximum", *_UPPER)},
        exclusive_minimum=left.exclusive_minimum or right.exclusive_minimum,
        exclusive_maximum=left.exclusive_maximum or right.exclusive_maximum,
        multiple_of=right.multiple_of or left.multiple_of,
    )


_LOWER: Final = ("min_length", "min_items", "min_properties")
_UPPER: Final = ("max_length", "max_items", "max_properties")


def _tighter(choose: Callable[[list[Any]], Any], left: Schema, right: Schema, key: str) -> Any:
    limits = [value for value in (getattr(left, key), getattr(right, key)) if value is not None]
    return choose(limits) if limits else None


def _plain(schema: Schema) -> st.SearchStrategy[Any]:
    if schema.enum:
        return st.sampled_from(schema.enum)
    strategies = [_BUILDERS[kind](schema) for kind in schema.types if kind in _BUILDERS]
    return st.one_of(strategies) if strategies else _ANYTHING


def _booleans(_: Schema) -> st.SearchStrategy[Any]:
    return st.booleans()


def _integers(schema: Schema) -> st.SearchStrategy[Any]:
    lowest, highest = _INT32 if schema.format == "int32" else (INT64_MIN, INT64_MAX)
    step = int(schema.multiple_of) if schema.multiple_of and schema.multiple_of >= 1 else 1
    if schema.minimum is not None:
        lowest = max(lowest, int(-(-schema.minimum // 1)) + (schema.exclusive_minimum and schema.minimum.is_integer()))
    if schema.maximum is not None:
        highest = min(highest, int(schema.maximum // 1) - (schema.exclusive_maximum and schema.maximum.is_integer()))
    first, last = -(-lowest // step), highest // step
    if first > last:
        return st.nothing()
    near = st.sampled_from(sorted({first, min(first + 1, last), max(last - 1, first), last}))
    return (near | st.integers(first, last)).map(lambda number: number * step)


def _numbers(schema: Schema) -> st.SearchStrategy[Any]:
    if schema.multiple_of:
        return _integers(schema)
    return st.floats(
        schema.minimum,
        schema.maximum,
        allow_nan=False,
        allow_infinity=False,
        exclude_min=schema.exclusive_minimum and schema.minimum is not None,
        exclude_max=schema.exclusive_maximum and schema.maximum is not None,
    ) | _integers(schema)


def _strings(schema: Schema) -> st.SearchStrategy[Any]:
    shortest, longest = schema.min_length or 0, schema.max_length
    known = _OF_FORMAT.get(schema.format.replace("-", ""))
    if known is not None:
        strategy: st.SearchStrategy[str] = known
    elif schema.pattern and (pattern := _python(schema.pattern)):
        strategy = st.from_regex(pattern)
    else:
        limit = max(shortest, min(_LONGEST if longest is None else longest, _LONGEST))
        return st.text("abcxyz019-._/:", min_size=shortest, max_size=limit) | _UNICODE.filter(
            lambda text: shortest <= len(text) <= limit
        )
    return strategy.filter(lambda text: is_allowed(text, schema))


def _python(pattern: str) -> "re.Pattern[str] | None":
    """The RE2 pattern for Python, where both have the same meaning."""
    try:
        return re.compile(pattern.replace(r"\z", r"\Z"), re.ASCII)
    except re.error:
        return None


def _arrays(schema: Schema) -> st.SearchStrategy[Any]:
    items = _ANYTHING if schema.items is None else _node(schema.items)
    fewest = schema.min_items or 0
    most = max(fewest, min(_MOST_ITEMS if schema.max_items is None else schema.max_items, _MOST_ITEMS))
    if schema.list_type == "map":
        return st.lists(items, min_size=fewest, max_size=most, unique_by=lambda item: _key(item, schema))
    if schema.list_type == "set" or schema.unique_items:
        return st.lists(items, min_size=fewest, max_size=most, unique_by=json_text)
    return st.lists(items, min_size=fewest, max_size=most)


def _key(item: Any, schema: Schema) -> str:
    return json_text({name: members(item).get(name) for name in schema.list_map_keys})


@st.composite
def _mappings(draw: st.DrawFn, schema: Schema) -> dict[str, Any]:
    """A mapping with its required members and a few of the others, so that large schemas give small objects."""
    optional = [name for name in schema.properties if name not in schema.required]
    chosen = draw(st.lists(st.sampled_from(optional), unique=True, max_size=_MOST_EXTRA)) if optional else []
    needed = (schema.min_properties or 0) - len(schema.required)
    chosen += [name for name in optional if name not in chosen][: max(0, needed - len(chosen))]
    value = {name: draw(_member(schema, name)) for name in (*schema.required, *chosen)}
    if schema.additional is not None or (schema.preserve_unknown and not schema.properties):
        room = _MOST_EXTRA if schema.max_properties is None else min(_MOST_EXTRA, schema.max_properties)
        fewest = max(0, (schema.min_properties or 0) - len(value))
        inner = _ANYTHING if schema.additional is None else _node(schema.additional)
        extra = draw(st.dictionaries(_SIMPLE, inner, min_size=fewest, max_size=max(fewest, room - len(value), 0)))
        value = {**extra, **value}
    if schema.embedded:
        value |= {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "embedded"}}
    return value


def _member(schema: Schema, name: str) -> st.SearchStrategy[Any]:
    child = schema.properties.get(name) or schema.additional
    return _ANYTHING if child is None else _node(child)


_BUILDERS: Final[Mapping[str, Callable[[Schema], st.SearchStrategy[Any]]]] = {
    "array": _arrays,
    "boolean": _booleans,
    "integer": _integers,
    "number": _numbers,
    "object": _mappings,
    "string": _strings,
}
