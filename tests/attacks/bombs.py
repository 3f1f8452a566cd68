"""Manifests that are small or simple and were made to exhaust the program that reads them.

Each `Bomb` has a name, what it attacks, its files, and what the preflight says about it. `tests.attacks.judging_bombs`
has those that are read in no time, and `tests.attacks.definition_bombs` those in definitions, suites and policies.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.cli.document_findings import LONGEST_TEXT
from tests.support.soak import sized

MANY: Final = sized(10_000, 300_000)
"""How many keys, items or documents a bomb has whose cost grows with each of them."""
MEGA: Final = 1_000_000
DEEP: Final = 100_000
LINE: Final = sized(10, 50) * MEGA

Files = Mapping[str, str | bytes]


class Bomb(NamedTuple):
    """One attack: its name, what it ``attacks``, and its files by name.

    ``code`` and ``says`` are the exit code and the first message of ``kubectl ovn-preflight`` with the words of
    ``command``, which name the files.
    """

    name: str
    attacks: str
    files: Callable[[], Files]
    code: int
    says: str
    command: tuple[str, ...] = ("a.yaml",)


def yaml_bomb(name: str, attacks: str, text: Callable[[], str | bytes], code: int, says: str) -> Bomb:
    """Return a bomb of one YAML file."""
    return Bomb(name, attacks, lambda: {"a.yaml": text()}, code, says)


def json_bomb(name: str, attacks: str, text: Callable[[], str], code: int, says: str) -> Bomb:
    """Return a bomb of one JSON file."""
    return Bomb(name, attacks, lambda: {"a.json": text()}, code, says, ("a.json",))


NETWORK: Final = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec:
  topology: Layer2
  layer2: {role: Primary, subnets: [10.0.0.0/24]}
"""
LAYER3: Final = NETWORK.partition("  topology")[0] + "  topology: Layer3\n  layer3:\n    role: Primary\n    subnets:\n"
JSON: Final = (
    '{"apiVersion":"k8s.ovn.org/v1","kind":"UserDefinedNetwork","metadata":{"name":"net","namespace":"red"},'
    '"spec":{"topology":"Layer2","layer2":{"role":"Primary","subnets":["10.0.0.0/24"],"mtu":%s}}}'
)


def lines(texts: Iterable[str]) -> str:
    """Return a text with an end after each line."""
    return "".join(f"{text}\n" for text in texts)


def numbered(count: int, form: str = "k%d: 1") -> str:
    """Return the entries of a list or mapping in flow style, each with its number."""
    return ", ".join(form % number for number in range(count))


def laughs() -> str:
    """Return a billion values: each line has nine aliases of the one before."""
    return "a0: &a0 [lol]\n" + lines(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))


def with_mtu(value: str) -> str:
    """Return a network with an MTU."""
    return NETWORK.replace("role: Primary,", f"role: Primary, mtu: {value},")


def in_spec(value: str) -> str:
    """Return a network with an unknown field."""
    return f"{NETWORK}  x: {value}\n"


def unknown(place: str, field: str) -> str:
    """Return the line about an unknown field."""
    return f'{place}: error: {cut(f"""unknown field "{field}" """[:-1])} ({field}: Invalid value)  [strict]'


def cut(text: str) -> str:
    """Return a text as reports cut it."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}... ({len(text)} characters)"


EXCESSIVE: Final = "error: document contains excessive aliasing"
LONG: Final = "error: a key has more than 2048 characters"
DEEPER: Final = "error: nested deeper than 100 levels"
_NUL: Final = "1:1: error: not YAML text: control characters are not allowed"
_X: Final = unknown("7:3", "spec.x")


def _mtu(statement: str, value: str, keyword: str) -> str:
    field = "spec.layer2.mtu"
    return f"6:27: error: {field} in body {statement} ({field}: Invalid value: {value})  [{field}.{keyword}]"


def _of_type(kind: str) -> str:
    return _mtu(f'must be of type integer: "{kind}"', f'"{kind}"', "type")


def _cycle(name: str, value: str, column: int) -> Bomb:
    return yaml_bomb(name, "cycles", lambda: in_spec(value), 2, f"7:{column}: error: anchor 'a' value contains itself")


def _merge_chain() -> str:
    """Mappings of which each has all keys of those before."""
    links = lines(f"  x{n}: &a{n} {{<<: *a{n - 1}, k{n}: 1}}" for n in range(1, 3000))
    return f"{NETWORK}  x0: &a0 {{k0: 1}}\n{links}"


def _merge_lists() -> str:
    links = lines(f"  y{n}: {{<<: [{'*a,' * 20}]}}" for n in range(100))
    return f"{NETWORK}  x: &a {{{numbered(1000)}}}\n{links}"


ALIASES: Final = (
    yaml_bomb("billion laughs", "alias expansion", lambda: NETWORK + laughs(), 2, f"11:15: {EXCESSIVE}"),
    yaml_bomb(
        "quadratic aliases",
        "alias expansion of one level",
        lambda: f"{NETWORK}  x: &a [{'y,' * 10_000}]\n  z: [{'*a,' * 10_000}]\n",
        2,
        f"8:136: {EXCESSIVE}",
    ),
    yaml_bomb(
        "aliases of findings",
        "judging what aliases repeat",
        lambda: f"{LAYER3}    - &a {{cidr: 10.0.0.0/16, {numbered(400)}}}\n" + "    - *a\n" * 900,
        2,
        f"126:7: {EXCESSIVE}",
    ),
    yaml_bomb(
        "aliases of a long key",
        "memory of paths",
        lambda: f"{LAYER3}    - &a {'k' * MEGA}\n" + "    - {*a : 1}\n" * 2000,
        2,
        f"10:8: {LONG}",
    ),
    yaml_bomb(
        "aliases of a long text",
        "memory of messages",
        lambda: NETWORK.replace("red", f"red, labels: {{k: &a {'v' * MEGA}}}, finalizers: [{'*a, ' * 2000}]"),
        2,
        "3:1000334: error: more than 67108864 characters in one document",
    ),
    yaml_bomb(
        "aliases as keys",
        "anchors of keys",
        lambda: NETWORK + lines(f"  ? &a{n} k{n}\n  : *a{n}" for n in range(10_000)),
        1,
        unknown("7:5", "spec.k0"),
    ),
    yaml_bomb("merge chain", "merge keys add up", _merge_chain, 2, f"259:20: {EXCESSIVE}"),
    yaml_bomb("merge lists", "merge keys repeat", _merge_lists, 2, f"13:31: {EXCESSIVE}"),
    _cycle("list in itself", "&a [*a]", 10),
    _cycle("mapping in itself", "&a {k: *a}", 13),
    _cycle("merge of itself", "&a {<<: *a}", 14),
)
DEPTH: Final = (
    yaml_bomb("flow sequences", "depth of YAML", lambda: in_spec("[" * DEEP), 2, f"7:104: {DEEPER}"),
    yaml_bomb("flow mappings", "depth of YAML", lambda: in_spec("{a: " * DEEP), 2, f"7:398: {DEEPER}"),
    yaml_bomb("block sequences", "depth of YAML", lambda: in_spec(f"\n    {'- ' * DEEP}"), 2, f"8:201: {DEEPER}"),
    yaml_bomb(
        "block mappings", "depth of YAML", lambda: lines(" " * n + "a:" for n in range(2000)), 2, f"101:101: {DEEPER}"
    ),
    yaml_bomb(
        "complex keys",
        "depth of keys",
        lambda: f"{NETWORK}  {'? ' * DEEP}\n",
        2,
        "7:5: error: a mapping key must be a scalar",
    ),
    json_bomb("JSON lists", "depth of JSON", lambda: JSON % ("[" * DEEP), 2, f"1:288: {DEEPER}"),
    json_bomb("JSON objects", "depth of JSON", lambda: JSON % ('{"a":' * DEEP), 2, f"1:676: {DEEPER}"),
)
NUMBERS: Final = (
    yaml_bomb("decimal digits", "conversion of integers", lambda: with_mtu("9" * MEGA), 1, _of_type("string")),
    yaml_bomb(
        "hexadecimal digits", "conversion of integers", lambda: with_mtu("0x" + "f" * MEGA), 1, _of_type("string")
    ),
    yaml_bomb("octal digits", "conversion of integers", lambda: with_mtu("0" + "7" * MEGA), 1, _of_type("string")),
    yaml_bomb("binary digits", "conversion of integers", lambda: with_mtu("0b" + "1" * MEGA), 1, _of_type("string")),
    yaml_bomb(
        "underscores",
        "conversion of integers",
        lambda: with_mtu("1" + "_" * MEGA),
        1,
        _mtu("should be greater than or equal to 576", "1", "minimum"),
    ),
    yaml_bomb("base 60", "conversion of integers", lambda: with_mtu("1" + ":59" * MEGA), 1, _of_type("string")),
    yaml_bomb(
        "integer tag",
        "conversion of tagged scalars",
        lambda: with_mtu("!!int " + "9" * MEGA),
        2,
        f"6:32: error: cannot decode !!str `{'9' * MEGA}` as a !!int",
    ),
    yaml_bomb(
        "digits as a key",
        "conversion of keys",
        lambda: f"{NETWORK}  ? {'9' * MEGA}\n  : 1\n",
        2,
        f"7:5: {LONG}",
    ),
    yaml_bomb("exponent", "conversion of floats", lambda: with_mtu("1e999999999"), 1, _of_type("string")),
    yaml_bomb("fraction", "conversion of floats", lambda: with_mtu("0." + "1" * MEGA), 1, _of_type("number")),
    json_bomb(
        "JSON digits",
        "conversion of integers",
        lambda: JSON % ("9" * MEGA),
        2,
        f"1:191: error: {'9' * 40}... is larger than a number can be",
    ),
    json_bomb(
        "JSON exponent",
        "conversion of floats",
        lambda: JSON % "1e999999999",
        2,
        "1:191: error: 1e999999999 is larger than a number can be",
    ),
)
TEXTS: Final = (
    yaml_bomb("NUL in a plain scalar", "NUL bytes", lambda: in_spec("a\0b"), 2, f"{_NUL} (byte 171)"),
    yaml_bomb("NUL in quotes", "NUL bytes", lambda: in_spec('"a\0b"'), 2, f"{_NUL} (byte 172)"),
    yaml_bomb("NUL in a block", "NUL bytes", lambda: in_spec("|\n    a\0b"), 2, f"{_NUL} (byte 177)"),
    yaml_bomb("NUL alone", "NUL bytes", lambda: b"\0" * MEGA, 2, f"{_NUL} (byte 0)"),
    yaml_bomb(
        "escaped NUL",
        "NUL in a key",
        lambda: f'{NETWORK}  "x\\0": 1\n',
        1,
        '7:3: error: unknown field "spec.x\\x00" (spec.x\\x00: Invalid value)  [strict]',
    ),
    yaml_bomb("Python tag", "construction of objects", lambda: in_spec("!!python/object/apply:os.system [id]"), 1, _X),
    yaml_bomb("binary tag", "decoding of base64", lambda: in_spec(f"!!binary {'QUFB' * MEGA}"), 1, _X),
    yaml_bomb(
        "timestamp tag",
        "parsing of dates",
        lambda: in_spec(f"!!timestamp {'2001-01-01' * DEEP}"),
        2,
        f"7:6: error: cannot decode !!str `{'2001-01-01' * DEEP}` as a !!timestamp",
    ),
    yaml_bomb("unknown tag", "long tags", lambda: in_spec(f"!<tag:x,2000:{'a' * MEGA}> 1"), 1, _X),
    yaml_bomb(
        "tag directives",
        "directives are compared with each other",
        lambda: lines(f"%TAG !t{n}! tag:x" for n in range(60_000)) + f"---\n{NETWORK}",
        2,
        "1:1: error: more than 100 %TAG directives",
    ),
    yaml_bomb("long line", "one scalar", lambda: in_spec("a" * LINE), 1, _X),
    yaml_bomb(
        "empty documents",
        "a stream",
        lambda: "---\n" * 100_000 + NETWORK,
        0,
        "1 file, 1 object judged, 0 errors, 0 warnings",
    ),
    yaml_bomb(
        "documents without an object",
        "findings about one file",
        lambda: "--- a\n" * MANY,
        2,
        "1:5: error: not a Kubernetes object: a mapping is expected",
    ),
    yaml_bomb(
        "invalid UTF-8",
        "decoding",
        lambda: NETWORK.encode() + b"  x: \xff\xfe\n",
        2,
        "1:1: error: not YAML text: invalid leading UTF-8 octet (byte 170)",
    ),
    yaml_bomb(
        "half of UTF-16",
        "decoding",
        lambda: b"\xff\xfe" + NETWORK.encode("utf-16-le") + b"a",
        2,
        "1:1: error: not YAML text: incomplete UTF-16 character (byte 332)",
    ),
    yaml_bomb(
        "surrogates of UTF-16",
        "decoding",
        lambda: b"\xff\xfe" + b"\x00\xd8" * MEGA,
        2,
        "1:1: error: not YAML text: expected low surrogate area (byte 4)",
    ),
)
READING: Final = (*ALIASES, *DEPTH, *NUMBERS, *TEXTS)
