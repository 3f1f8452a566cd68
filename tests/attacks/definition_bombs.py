"""Definitions and their rules that were made to exhaust the preflight."""

from collections.abc import Callable
from typing import Final

from tests.attacks.bombs import EXCESSIVE, MEGA, Bomb, Files, cut, numbered
from tests.support.preflight_run import widgets

_WIDGET: Final = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
NESTED: Final = "(" * 5000 + "true" + ")" * 5000
_VALUES: Final = numbered(20_000, '"v%d"')
_PATTERN: Final = f"^{'a' * 20_000}$"
_FINE: Final = "1 file, 1 object judged, 0 errors, 0 warnings"
_AT: Final = "spec.validation.openAPIV3Schema.properties[s]"


def _ruled(schema: str, rule: str) -> str:
    return widgets(f'{{s: {{{schema}, x-kubernetes-validations: [{{rule: "{rule}"}}]}}}}')


def text(rule: str) -> str:
    """Return a definition with a rule about a text."""
    return _ruled("type: string, maxLength: 9", rule)


def _definition(name: str, attacks: str, text: Callable[[], str], code: int, says: str) -> Bomb:
    """A definition that is judged itself."""
    return Bomb(name, attacks, lambda: {"crd.yaml": text()}, code, says, ("crd.yaml",))


def _object(name: str, attacks: str, schema: Callable[[], str], spec: Callable[[], str], code: int, says: str) -> Bomb:
    """An object that is judged by a given definition."""

    def files() -> Files:
        return {"crd.yaml": widgets(schema()), "a.yaml": f"{_WIDGET}s: {spec()}\n"}

    return Bomb(name, attacks, files, code, says, ("a.yaml", "--crds", "crd.yaml"))


def _of_items(detail: str, fault: str, keyword: str) -> str:
    return f'4:5: error: {cut(detail)} (s[0]: {fault} value: "x")  [s[*].{keyword}]'


def _bad_pattern(detail: str, value: str) -> str:
    message = cut(f"must be a valid regular expression, but isn't: error parsing regexp: {detail}")
    return f"12:77: error: {message} ({_AT}.pattern: Invalid value: {value})"


def _bad_rule(detail: str, begin: str) -> str:
    value = f'{{"Rule":"{begin}..."FieldPath":"","OptionalOldSelf":null}}'
    field = f"{_AT}.x-kubernetes-validations[0].rule"
    return f"12:119: error: compilation failed: ERROR: <input>:{detail} ({field}: Invalid value: {value})"


def _over_budget(place: str, node: str) -> str:
    detail = (
        "estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, "
        "maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
    return f"{place}: error: {detail} ({node}.x-kubernetes-validations[0].rule: Forbidden)"


def _doubling() -> str:
    """A schema in which every level has that of the level before twice."""
    levels = [f"a{n}: &a{n} {{type: object, properties: {{l: *a{n - 1}, r: *a{n - 1}}}}}" for n in range(1, 16)]
    return widgets(f"{{a0: &a0 {{type: object, properties: {{x: {{type: string}}}}}}, {', '.join(levels)}}}")


def _below(levels: int, start: str, inner: str, end: str) -> str:
    return widgets(f"{{s: {start * levels}{inner}{end * levels}}}")


SCHEMAS: Final = (
    _object(
        "pattern that backtracks",
        "regular expressions",
        lambda: '{s: {type: string, pattern: "(a+)+$"}}',
        lambda: f"{'a' * 100_000}!",
        1,
        f"4:1: error: s in body should match '(a+)+$' (s: Invalid value: \"{'a' * 22}...{'a' * 36}!\")  [s.pattern]",
    ),
    _definition(
        "pattern that repeats",
        "compiling of regular expressions",
        lambda: widgets('{s: {type: string, pattern: "((a{1,100}){1,100}){1,100}"}}'),
        1,
        _bad_pattern("invalid repeat count: `{1,100}`", '"((a{1,100}){1,100}){1,100}"'),
    ),
    _definition(
        "pattern of depth",
        "compiling of regular expressions",
        lambda: widgets(f'{{s: {{type: string, pattern: "{NESTED}"}}}}'),
        1,
        _bad_pattern(f"expression nests too deeply: `{NESTED}`", f'"{"(" * 22}...{")" * 37}"'),
    ),
    _object(
        "enumeration",
        "each message has all values",
        lambda: f"{{s: {{type: array, items: {{type: string, enum: [{_VALUES}]}}}}}}",
        lambda: f"[{'x,' * 5000}]",
        1,
        _of_items(f"supported values: {_VALUES}", "Unsupported", "enum"),
    ),
    _object(
        "pattern of each item",
        "each message has the pattern",
        lambda: f"{{s: {{type: array, items: {{type: string, pattern: '{_PATTERN}'}}}}}}",
        lambda: f"[{'x,' * 5000}]",
        1,
        _of_items(f"s[0] in body should match '{_PATTERN}'", "Invalid", "pattern"),
    ),
    _definition(
        "schema of depth",
        "recursion over a schema",
        lambda: _below(40, "{type: object, properties: {p: ", "{type: string}", "}}"),
        0,
        _FINE,
    ),
    _definition("schemas that double", "aliases of schemas", _doubling, 2, f"12:595: {EXCESSIVE}"),
    _object(
        "defaults of many items",
        "defaulting",
        lambda: (
            f"{{s: {{type: array, items: {{type: object, properties: "
            f"{{{numbered(500, 'p%d: {type: string, default: x}')}}}}}}}}}"
        ),
        lambda: f"[{'{},' * 3000}]",
        0,
        _FINE,
    ),
)
RULES: Final = (
    _definition(
        "lists in lists",
        "cost of a rule",
        lambda: _below(
            12,
            "{type: array, items: ",
            "{type: string, x-kubernetes-validations: [{rule: \"self.matches('a*')\"}]}",
            "}",
        ),
        1,
        _over_budget("12:357", f"{_AT}{'.items' * 12}"),
    ),
    _object(
        "rule over pairs",
        "evaluation of CEL",
        lambda: (
            "{s: {type: array, maxItems: 1000, items: {type: integer}, x-kubernetes-validations: "
            '[{rule: "self.all(a, self.all(b, a == b || a != b))"}]}}'
        ),
        lambda: f"[{'1,' * 1000}]",
        1,
        "4:1: error: 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to "
        "call cost exceeds limit for rule: self.all(a, self.all(b, a == b || a != b)) "
        '(s: Invalid value: "array")  [s.x-kubernetes-validations[0]]',
    ),
    _definition(
        "CEL of depth",
        "parsing of CEL",
        lambda: text(NESTED),
        1,
        _bad_rule("-1:0: expression recursion limit exceeded: 250", "(((((((((((((("),
    ),
    _definition(
        "CEL without end",
        "parsing of CEL",
        lambda: text("1 + " * 15_000),
        1,
        _bad_rule(
            "1:60001: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', "
            "'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
            "1 + 1 + 1 + 1 ",
        ),
    ),
    _definition(
        "long CEL",
        "parsing of CEL",
        lambda: text("a" * MEGA),
        1,
        _bad_rule("-1:0: expression code point size exceeds limit: size: 1000000, limit 100000", "aaaaaaaaaaaaaa"),
    ),
    _definition("CEL of many terms", "checking of CEL", lambda: text(" || ".join(["self == 'a'"] * 2000)), 0, _FINE),
    _definition(
        "digits in CEL",
        "conversion of integers",
        lambda: text(f"1 == {'9' * 90_000}"),
        1,
        _bad_rule("1:6: invalid int literal", "1 == 999999999"),
    ),
    _definition(
        "macros in macros",
        "cost of a rule",
        lambda: _ruled("type: array, maxItems: 10, items: {type: integer}", "self.all(x, " * 60 + "true" + ")" * 60),
        1,
        _over_budget("12:142", _AT),
    ),
)
DEFINITIONS: Final = (*SCHEMAS, *RULES)
