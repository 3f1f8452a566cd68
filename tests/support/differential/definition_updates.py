"""Compare our answer to the update of a definition with that of the API server's code.

``python -m tests.support.differential.definition_updates COUNT`` compares generated updates, and
all ordered pairs of the definitions of the same name in the upstream data.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import yaml

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.crd.definition_verdict import DefinitionVerdict, judge_definition
from tests.support.differential.causes import known_name
from tests.support.differential.definition_pairs import PairGenerator
from tests.support.differential.definition_verdicts import UNIQUE, fault_is_ours
from tests.support.differential.line_peer import LinePeer, line_peer
from tests.support.paths import ROOT, shared_folder
from tests.testbed import parts

Json = dict[str, Any]
_TRIES: Final = 60
_OF_A_MAP: Final = re.compile(
    r"(?:properties|definitions|dependencies|storedVersions)\[|metadata\.(?:labels|annotations)"
)
_MOST_SHOWN: Final = 20


def update_differences(peer: LinePeer, pair: Json, kubernetes: str = DEFAULT_KUBERNETES) -> list[str]:
    """Return what differs, [] if nothing does.

    Go goes through maps in an order of its own: an answer of several of the peer's must be ours, in its order. Where
    more than one error is of an entry of a map, the order may be another one.
    """
    question = json.loads(json.dumps(pair, sort_keys=True))
    ours = judge_definition(question["new"], question["old"], kubernetes)
    found: list[str] = []
    for _ in range(_TRIES):
        found = _differences(peer, question, ours)
        if not found:
            return []
    if known_name("definitions", found):
        return []
    entries = sum(bool(_OF_A_MAP.search(error.field)) for error in ours.errors)
    return [] if entries > 1 and found == [_ORDER] else found


_ORDER: Final = "another order of errors"


def _differences(peer: LinePeer, question: Json, ours: DefinitionVerdict) -> list[str]:
    try:
        answer = peer.ask(question)
    except RuntimeError as fault:
        return _undecodable(ours, str(fault))
    theirs = [_key(one["type"], one["field"], one["text"]) for one in answer["errors"]]
    own = [_key(one.type.value, one.field, one.text) for one in ours.errors]
    # a stored definition has a uid, and the storage refuses another one; the peer has no storage
    theirs = [each for each in theirs if each[1] != "metadata.uid"]
    found = [f"only ours: {one}" for one in (Counter(own) - Counter(theirs)).elements()]
    found += [f"only the peer's: {one}" for one in (Counter(theirs) - Counter(own)).elements()]
    if not found and own != theirs:
        found.append(_ORDER)
    if not theirs and sorted(ours.warnings) != sorted(answer["warnings"]):
        found.append(f"warnings: ours {ours.warnings}, peer {answer['warnings']}")
    if [error.detail for error in ours.unknown] != answer["strict"]:
        found.append(f"unknown fields: ours {[error.detail for error in ours.unknown]}, peer {answer['strict']}")
    return [*found, *([f"old definition: {ours.ignored_old}"] if ours.ignored_old else [])]


def _undecodable(ours: DefinitionVerdict, fault: str) -> list[str]:
    texts = [UNIQUE.sub("", error.text) for error in ours.errors]
    if fault.startswith("old: "):
        return [] if ours.ignored_old else [f"ours: {texts}", f"peer: {fault}"]
    if fault == "an update of another object":
        return [] if [error.rule for error in ours.errors] == ["request"] else [f"ours: {texts}", f"peer: {fault}"]
    if fault_is_ours(texts, fault.removeprefix("new: ")):
        return []
    return [f"ours: {texts}", f"peer: {fault}"]


def _key(kind: str, field: str, text: str) -> tuple[str, str, str]:
    return kind, field, UNIQUE.sub("", text)


def generated(seed: int) -> Json:
    """The update of a seed."""
    return PairGenerator(seed).pair()


def upstream_pairs() -> Iterator[tuple[str, Json]]:
    """Every ordered pair of different definitions of the same name, with the places of both."""
    folder = shared_folder()
    files = [] if folder is None else sorted(folder.rglob("*.yaml"))
    known: dict[str, dict[str, tuple[str, Json]]] = defaultdict(dict)
    for file in (*files, *sorted((ROOT / "crd_schemas").rglob("*.yaml"))):
        text = file.read_text(encoding="utf-8")
        if "kind: CustomResourceDefinition" in text:
            for made in _definitions(text):
                known[made["metadata"]["name"]].setdefault(json.dumps(made, sort_keys=True), (_place(file), made))
    for name, made_by in sorted(known.items()):
        for (old_place, old), (new_place, new) in permutations(made_by.values(), 2):
            yield f"{name}: {old_place} -> {new_place}", {"old": old, "new": new}


def _definitions(text: str) -> Iterator[Json]:
    try:
        documents = list(yaml.load_all(text, yaml.CSafeLoader))
    except yaml.YAMLError:
        return
    for made in documents:
        if isinstance(made, dict) and made.get("kind") == "CustomResourceDefinition":
            yield json.loads(json.dumps(made, default=str))


def _place(file: Path) -> str:
    return "/".join(file.parts[-3:])


def main(arguments: list[str] | None = None) -> int:
    """Compare; the exit code is 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, help="crd-verdict of another release than the test bed's")
    parser.add_argument("--release", default=DEFAULT_KUBERNETES)
    options = parser.parse_args(arguments)
    counts = Counter[str]()
    with line_peer(options.program or parts.find()["crd-verdict"]) as peer:
        first = options.seed * 10_000_000
        cases = [(f"seed {number}", None) for number in range(first, first + options.count)]
        for name, pair in (*cases, *upstream_pairs()):
            found = update_differences(peer, pair or generated(int(name[5:])), options.release)
            counts["different" if found else "same"] += 1
            if found and counts["different"] <= _MOST_SHOWN:
                print(name, *found, sep="\n    ", flush=True)
    print(dict(counts))
    return int(counts["different"] > 0)


if __name__ == "__main__":
    sys.exit(main())
