"""The answer of the API server's own code to one CEL rule, in the format of the tables."""

import re
from typing import Any

from tests.support.differential.peer import Peer

_ESTIMATE = re.compile(r"estimated rule cost exceeds budget by factor of (more than 100x|[\d.]+x)")


def ask(peer: Peer, rule: str, schema: Any, value: Any) -> dict[str, Any]:
    """One rule on the property ``v``; a definition refused for its estimated cost alone is judged all the same."""
    node = {**schema, "x-kubernetes-validations": [{"rule": rule, "message": "MSG"}]}
    meta = {"name": "x", "namespace": "n"}
    return peer.ask(
        schema={"type": "object", "properties": {"v": node}},
        cost=True,
        ignoreCRDErrors=True,
        object={"apiVersion": "example.com/v1", "kind": "Foo", "metadata": meta, "v": value},
    )


def outcome(answer: dict[str, Any]) -> dict[str, Any]:
    """The part of an answer that a table records."""
    refused = [error["detail"] for error in answer["crdErrors"] if "cost" not in error["detail"]]
    if refused:
        return {"refused": re.sub(r"selfType\d+", "selfType", "\n".join(refused))}
    text = answer["errors"][0]["detail"] if answer["errors"] else ""
    return {"ok": answer["allowed"], "text": text, "cost": answer["cost"], "estimate": estimate_text(answer)}


def estimate_text(answer: dict[str, Any]) -> str:
    """How far above the limit the estimate is, "" where it is not."""
    for error in answer["crdErrors"]:
        if found := _ESTIMATE.search(error["detail"]):
            return found[1]
    return ""
