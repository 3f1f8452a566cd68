"""CNI configurations that Go reads alike although they look different, and what a Go program read.

`ANSWERS` are mutated texts with the answers of a Go program that has the structs of OVN-Kubernetes and libcni 1.3: the
oracle. `MUTATIONS` change a text in ways that Go's decoder does not see, so a mutated text has the answer of its
original. To add one, add a function that changes the tokens of a text.
"""

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.go.json_syntax import Members, json_of, read_json
from ovnguard.validators.network.declared.netconf import read_netconf

JsonObject = dict[str, Any]
Tokens = list[str]
Mutation = Callable[[Tokens, random.Random], Tokens]

_FILE: Final = Path(__file__).with_name("netconf_answers.jsonl")
ANSWERS: Final[tuple[JsonObject, ...]] = tuple(map(json.loads, _FILE.read_text("utf-8").splitlines()))
"""Each has the text, ``config``, and what Go read from it, ``parsed``, or its ``error``."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_CHARACTER: Final = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_BLANKS: Final = ("", "", " ", "\n", "\t", "\r\n  ")
_IGNORED: Final = ("null", "{}", '{"mtu":"x","subnets":[1]}', "[[],[1e300]]", '"\\ud800"', "-0.5E+9", "true")
_ALSO_FOLDED: Final = {"s": "\u017f", "k": "\u212a"}
"""Letters that Go's decoder takes for these."""
# What Go shows of a configuration that does not have these keys.
_SHOWN_EMPTY: Final[JsonObject] = {
    "ipam": {},
    "dns": {},
    "runtimeConfig": {},
    "logfile-maxsize": 0,
    "logfile-maxbackups": 0,
    "logfile-maxage": 0,
    "mtu": 1400,
}


def expected(answer: JsonObject) -> object:
    """Return what reading the text of an answer must return: the values, or the error."""
    return answer["error"] if "error" in answer else _without_empty(answer["parsed"])


def read(config: str) -> object:
    """Return what the product reads, in the form of `expected`."""
    found = read_netconf(config)
    if found is None:
        return None
    return found.error or found.name_error or _without_empty({**_SHOWN_EMPTY, **found.plugin, "name": found.name})


def _without_empty(value: Any) -> Any:
    """Go shows some empty values and leaves others out."""
    if isinstance(value, Members):
        value = json.loads(json_of(value))
    if isinstance(value, dict):
        found = {key: _without_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in found.items() if inner not in ("", 0, False, None, {}, [])}
    return json.loads(json_of(value)) if isinstance(value, tuple) else value


def mutated(config: str, choice: random.Random) -> str:
    """Return the text with some mutations; what is no JSON object stays as it is."""
    if not isinstance(read_json(config), Members):
        return config
    tokens = _TOKEN.findall(config)
    for mutation in MUTATIONS.values():
        if choice.random() < 0.7:
            tokens = mutation(tokens, choice)
    return "".join(tokens)


def _blanks(tokens: Tokens, choice: random.Random) -> Tokens:
    return [part for token in tokens for part in (choice.choice(_BLANKS), token)]


def _escapes(tokens: Tokens, choice: random.Random) -> Tokens:
    def escaped(token: str) -> str:
        found = _CHARACTER.findall(token[1:-1])
        return f'"{"".join(_escape(each) if choice.random() < 0.3 else each for each in found)}"'

    return [escaped(token) if token.startswith('"') else token for token in tokens]


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if len(character) == 1 and ord(character) < 0x10000 else character


def _letter_case(tokens: Tokens, choice: random.Random) -> Tokens:
    """Keys of one configuration match in any case; those of a list do not."""
    keys = _keys(tokens)
    if any("plugin" in tokens[index].casefold() for index in keys):
        return tokens
    return [_recased(token, choice) if index in keys else token for index, token in enumerate(tokens)]


def _recased(token: str, choice: random.Random) -> str:
    def changed(character: str) -> str:
        if len(character) > 1 or not character.isascii() or choice.random() < 0.5:
            return character
        other = _ALSO_FOLDED.get(character.lower(), "")
        return other if other and choice.random() < 0.3 else character.swapcase()

    return "".join(map(changed, _CHARACTER.findall(token)))


def _unknown_keys(tokens: Tokens, choice: random.Random) -> Tokens:
    """A member that no struct has, first or last."""
    member = [f'"x-{choice.randrange(10**6)}"', ":", choice.choice(_IGNORED)]
    if len(tokens) == 2:
        return ["{", *member, "}"]
    return ["{", *member, ",", *tokens[1:]] if choice.random() < 0.5 else [*tokens[:-1], ",", *member, "}"]


def _keys(tokens: Tokens) -> set[int]:
    """The places of the keys of the outermost object."""
    depth, found = 0, set()
    for index, token in enumerate(tokens):
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if token == ":" and depth == 1:
            found.add(index - 1)
    return found


MUTATIONS: Final[Mapping[str, Mutation]] = {
    "letter case": _letter_case,
    "unknown keys": _unknown_keys,
    "escapes": _escapes,
    "blanks": _blanks,
}
