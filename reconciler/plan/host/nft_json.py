"""ovnguard's nftables table in the JSON of `nft -j` (libnftables-json(5), schema version 1)."""

import json
from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from types import MappingProxyType
from typing import Any, Final

from ovnguard.reconciler.plan.host.nft import FAMILY, TABLE, Hook, Match, NftChain, NftRule, NftSet
from ovnguard.validators.base.json_types import Json, JsonObject

# The selectors of a rule, by keyword.
SELECTORS: Final[Mapping[str, JsonObject]] = MappingProxyType(
    {
        "ip saddr": {"payload": {"protocol": "ip", "field": "saddr"}},
        "ip daddr": {"payload": {"protocol": "ip", "field": "daddr"}},
        "ip6 saddr": {"payload": {"protocol": "ip6", "field": "saddr"}},
        "ip6 daddr": {"payload": {"protocol": "ip6", "field": "daddr"}},
        "oifname": {"meta": {"key": "oifname"}},
        "meta nfproto": {"meta": {"key": "nfproto"}},
        "fib saddr type": {"fib": {"result": "type", "flags": ["saddr"]}},
        "ct state": {"ct": {"key": "state"}},
    }
)
# A connection's state is a bit set, of which a rule tests one bit.
_BITS: Final = ("ct state",)
_BARE: Final = ("masquerade", "return", "drop")
_OWN: Final = {"family": FAMILY, "table": TABLE}


def replacing(sets: Iterable[NftSet], chains: Iterable[NftChain]) -> JsonObject:
    """Return the commands that replace the content of ovnguard's table in one transaction, or delete an empty table.

    Adding the table first makes the deletion succeed even if the table does not exist.
    """
    table: JsonObject = {"table": {"family": FAMILY, "name": TABLE}}
    commands: list[JsonObject] = [{"add": table}, {"delete": table}]
    sets, chains = tuple(sets), tuple(chains)
    if sets or chains:
        commands.append({"add": table})
    commands += ({"add": {"set": _set(each)}} for each in sets)
    commands += ({"add": {"chain": _chain(each)}} for each in chains)
    commands += (
        {"add": {"rule": {**_OWN, "chain": each.name, "expr": _expressions(rule)}}}
        for each in chains
        for rule in each.rules
    )
    return {"nftables": commands}


def observed(listing: Mapping[str, Any]) -> tuple[tuple[NftSet, ...], tuple[NftChain, ...]]:
    """Return sets and chains of ovnguard's table from the output of ``nft -j list table``, each sorted by name.

    Raises ValueError for any other listing.
    """
    objects = listing.get("nftables")
    if not isinstance(objects, list) or not all(isinstance(each, dict) for each in objects):
        raise ValueError("not a list of nftables objects")
    own = [(kind, value) for each in objects for kind, value in each.items() if _is_own(value)]
    rules: dict[str, list[NftRule]] = {}
    for kind, value in own:
        if kind == "rule":
            rules.setdefault(str(value.get("chain")), []).append(_rule(value.get("expr", ())))
    sets = [_observed_set(value) for kind, value in own if kind == "set"]
    chains = [_observed_chain(value, rules) for kind, value in own if kind == "chain"]
    # plans contain no maps and similar objects: a set without a version represents them as a difference
    sets += [NftSet(str(value.get("name")), 0) for kind, value in own if kind in ("map", "flowtable")]
    return tuple(sorted(sets, key=lambda each: each.name)), tuple(sorted(chains, key=lambda each: each.name))


def _is_own(value: object) -> bool:
    return isinstance(value, dict) and value.get("family") == FAMILY and value.get("table") == TABLE


def _set(each: NftSet) -> JsonObject:
    value: JsonObject = {**_OWN, "name": each.name, "type": each.type, "flags": ["interval"]}
    return {**value, "elem": [_value(element) for element in each.elements]} if each.elements else value


def _chain(each: NftChain) -> JsonObject:
    value: JsonObject = {**_OWN, "name": each.name}
    if each.hook is None:
        return value
    return {
        **value,
        "type": each.hook.type,
        "hook": each.hook.hook,
        "prio": each.hook.priority,
        "policy": "accept",
    }


def _expressions(rule: NftRule) -> list[Json]:
    matches: list[Json] = [
        {"match": {"op": _operator(each), "left": SELECTORS[each.left], "right": _value(each.right)}}
        for each in rule.matches
    ]
    words = rule.verdict.split()
    if words[0] == "jump":
        return [*matches, {"jump": {"target": words[1]}}]
    if words[0] == "snat":
        return [*matches, {"snat": {"family": words[1], "addr": words[3]}}]
    return [*matches, {rule.verdict: None}]


def _operator(match: Match) -> str:
    if match.negated:
        return "!="
    return "in" if match.left in _BITS else "=="


def _value(text: str) -> Json:
    address, slash, length = text.partition("/")
    return {"prefix": {"addr": address, "len": int(length)}} if slash else text


def _observed_set(value: Mapping[str, Any]) -> NftSet:
    version = {"ipv4_addr": 4, "ipv6_addr": 6}.get(str(value.get("type")), 0)
    if value.get("flags") not in (["interval"], "interval"):
        version = 0
    texts = [_text(each) for each in value.get("elem", ())]
    try:
        texts.sort(key=ip_network)
    except (ValueError, TypeError):
        # elements that are not addresses or networks, or of mixed versions: they never equal planned ones, so need no
        # order
        version = 0
    return NftSet(str(value.get("name")), version, tuple(texts))


def _observed_chain(value: Mapping[str, Any], rules: Mapping[str, Iterable[NftRule]]) -> NftChain:
    name = str(value.get("name"))
    hook = None
    if "hook" in value:
        policy = "" if value.get("policy") == "accept" else f" policy {value.get('policy')}"
        priority = value.get("prio")
        hook = Hook(str(value.get("type")), f"{value['hook']}{policy}", priority if isinstance(priority, int) else 0)
    return NftChain(name, tuple(rules.get(name, ())), hook)


def _rule(expressions: Any) -> NftRule:
    matches = []
    listed = list(expressions) if isinstance(expressions, list) else []
    for each in listed[:-1]:
        match = _match(each)
        if match is None:
            return NftRule((), json.dumps(expressions, sort_keys=True))
        matches.append(match)
    verdict = _verdict(listed[-1]) if listed else None
    if verdict is None:
        return NftRule((), json.dumps(expressions, sort_keys=True))
    return NftRule(tuple(matches), verdict)


def _match(value: Any) -> Match | None:
    match = value.get("match") if isinstance(value, dict) else None
    if not isinstance(match, dict):
        return None
    left = next((word for word, selector in SELECTORS.items() if selector == match.get("left")), None)
    if left is None:
        return None
    found = Match(left, _text(match.get("right")), match.get("op") == "!=")
    return found if match.get("op") == _operator(found) else None


def _verdict(value: Any) -> str | None:
    if not isinstance(value, dict) or len(value) != 1:
        return None
    [(word, detail)] = value.items()
    if word in _BARE and detail is None:
        return str(word)
    if word == "jump" and isinstance(detail, dict):
        return f"jump {detail.get('target')}"
    if word == "snat" and isinstance(detail, dict) and detail.keys() == {"family", "addr"}:
        return f"snat {detail['family']} to {detail['addr']}"
    return None


def _text(value: Any) -> str:
    """An address, a word, or a network as one text; anything else as JSON, which no plan has."""
    if isinstance(value, str):
        return value
    prefix = value.get("prefix") if isinstance(value, dict) else None
    if isinstance(prefix, dict) and prefix.keys() == {"addr", "len"}:
        return f"{prefix['addr']}/{prefix['len']}"
    return json.dumps(value, sort_keys=True)
