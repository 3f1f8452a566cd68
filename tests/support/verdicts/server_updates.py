"""Updates of definitions and policies as the real kube-apiserver and the preflight judge them.

``python -m tests.support.verdicts.server_updates COUNT`` starts an API server and compares so many of each.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.json_decode import fold
from ovnguard.validators.policy.decode import POLICY
from tests.support.differential.definition_pairs import PairGenerator
from tests.support.preflight_run import report
from tests.support.verdicts.policy_client import BINDINGS, POLICIES, Client
from tests.support.verdicts.policy_documents import Said, documents, mutated, ours, servers, sorted_text
from tests.support.verdicts.server_verdicts import whole_numbers
from tests.testbed.apiserver import ApiServer

Json = dict[str, Any]
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_HEAD: Final = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
_FOLDED: Final = frozenset(map(fold, _HEAD))
_NAME: Final = "foos.example.com"
_STRICT: Final = "?dryRun=All&fieldValidation=Strict"
_STORED_UNDER: Final = "Key: /registry/"
"""A dry run names the key without the prefix of the storage."""


class Update(NamedTuple):
    """An update of a stored definition, and what both say of it: errors in any order, and warnings."""

    number: int
    old: Json
    new: Json
    status: int
    said: Said
    warnings: list[str]


def definition_updates(client: Client, seed: int, count: int) -> Iterator[Update]:
    """Iterate over generated updates of definitions that the server stores, and its answers."""
    for number in range(seed * 10_000_000, (seed + 1) * 10_000_000):
        if not count:
            return
        # each definition has a group of its own, because the names of a deleted one are not free at once
        text = json.dumps(PairGenerator(number).pair()).replace("example.com", f"u{number}.example.com")
        pair = whole_numbers(json.loads(text))
        old = {key: value for key, value in (pair["old"] | _HEAD).items() if key != "status"}
        # only to learn the kind, the API server reads keys in any case: then it knows none
        new = {key: value for key, value in pair["new"].items() if fold(key) not in _FOLDED} | _HEAD
        name = _NAME.replace("example", f"u{number}.example")
        if not isinstance(new.get("metadata"), dict) or new["metadata"].get("name") != name:
            continue
        status, stored, _ = client.send("POST", DEFINITIONS, old)
        if status != 201:
            continue
        yield _asked(client, number, DEFINITIONS, stored, new)
        count -= 1
        client.send("DELETE", f"{DEFINITIONS}/{name}")


def policy_updates(client: Client, seed: int, count: int) -> Iterator[Update]:
    """Iterate over updates of stored policies and bindings in up to four places, and the server's answers."""
    rng = random.Random(seed)
    for number, body in enumerate(documents(seed, 100 * count)):
        if not count:
            return
        path = POLICIES if body["kind"] == POLICY else BINDINGS
        status, stored, _ = client.send("POST", path, {**body, "metadata": {"name": f"u{number}"}})
        if status != 201:
            continue
        read = {key: value for key, value in stored.items() if key != "status"}
        # the server replaces managed fields that do not decode
        read["metadata"] = {key: value for key, value in stored["metadata"].items() if key != "managedFields"}
        new = whole_numbers(mutated(rng, read))
        meta = new.get("metadata")
        if isinstance(meta, dict) and meta.get("name") == f"u{number}":
            yield _asked(client, number, path, stored, new)
            count -= 1
        client.send("DELETE", f"{path}/u{number}")


def _asked(client: Client, number: int, collection: str, stored: Json, new: Json) -> Update:
    path = f"{collection}/{stored['metadata']['name']}"
    new = {**new, "metadata": dict(new["metadata"])}
    while True:
        # the server itself writes the status of a new definition
        _, stored, _ = client.send("GET", path)
        new["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]
        status, answer, warnings = client.send("PUT", path + _STRICT, json.loads(sorted_text(new)))
        if status != 409 or "has been modified" not in answer["message"]:
            return Update(number, stored, new, status, servers(status, answer), warnings)


def answers(asked: Sequence[Update], folder: Path) -> dict[int, tuple[Said, list[str]]]:
    """What the preflight says of each update."""
    for side in ("old", "new"):
        (folder / side).mkdir()
        for each in asked:
            body = each.old if side == "old" else each.new
            (folder / side / f"{each.number}.json").write_text(sorted_text(body), encoding="utf-8")
    _, document = report("--old", str(folder / "old"), str(folder / "new"))
    found: dict[int, list[Any]] = defaultdict(list)
    for finding in document["findings"]:
        found[int(Path(finding["file"]).stem)].append(finding)
    return {
        each.number: (
            ours(found[each.number]),
            [one["message"] for one in found[each.number] if one["severity"] == "warning"],
        )
        for each in asked
    }


def differences(asked: Sequence[Update], folder: Path) -> list[str]:
    """Return what differs."""
    mine = answers(asked, folder)
    return [
        f"{each.number}: the server {each.status} {each.said} {each.warnings}, we {mine[each.number]}"
        for each in asked
        if _plain(each.said, each.said) != _plain(mine[each.number][0], each.said)
        or sorted(each.warnings) != sorted(mine[each.number][1])
    ]


def _plain(said: Said, answer: Said) -> list[tuple[str, str, str]]:
    """Errors once, in order; Go goes through maps in an order of its own.

    Where the answer has no fields, because the definition does not decode or is another one, only the text counts.
    """
    with_fields = any(field for _, field, _ in answer)
    return sorted(
        {
            (reason, field, text)
            if with_fields
            else ("", "", text.removeprefix("Invalid value: ").replace(_STORED_UNDER, "Key: /"))
            for reason, field, text in said
        }
    )


def main(arguments: list[str] | None = None) -> int:
    """Compare; the exit code is 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder, ApiServer(Path(folder) / "server") as server:
        for asking in (definition_updates, policy_updates):
            asked = list(asking(Client(server), options.seed, options.count))
            files = Path(folder) / asking.__name__
            files.mkdir()
            now = differences(asked, files)
            accepted = sum(each.status == 200 for each in asked)
            counts = f"{asking.__name__}: {len(asked)}, {accepted} accepted, {len(now)} differ"
            print(*now, counts, sep="\n", flush=True)
            found += now
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
