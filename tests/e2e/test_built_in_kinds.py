"""Objects of built-in kinds: the real API server's decoder, by dry run, refuses the same ones in the same words."""

import random
from typing import Any

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.built_in.decoded import decode_object
from tests.support.built_in_types.wrong_objects import places, wrong_object
from tests.support.soak import sized
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

OBJECTS = sized(200, 12_000)


def created_kinds(server: ApiServer) -> dict[tuple[str, str], str]:
    """The kinds whose objects the server creates, as apiVersion and kind, each with the path of a creation."""
    _, groups = server.request("GET", "/apis")
    versions = ["v1", *(each["groupVersion"] for group in groups["groups"] for each in group["versions"])]
    found: dict[tuple[str, str], str] = {}
    for version in versions:
        base = "/api/v1" if version == "v1" else f"/apis/{version}"
        for each in server.request("GET", base)[1].get("resources", ()):
            if "create" in each["verbs"] and "/" not in each["name"]:
                folder = f"{base}/namespaces/default" if each["namespaced"] else base
                found[version, each["kind"]] = f"{folder}/{each['name']}"
    return found


def test_the_decoder_refuses_the_same_objects_in_the_same_words(apiserver: ApiServer) -> None:
    # other tests may have created definitions
    paths = {
        key: path for key, path in created_kinds(apiserver).items() if decode_object(_empty(*key), DEFAULT_KUBERNETES)
    }
    assert len(paths) > 60
    known, chance = places(minor(DEFAULT_KUBERNETES), sorted(paths)), random.Random(7)
    refused = 0
    for _ in range(OBJECTS):
        obj = wrong_object(chance, known)
        path = f"{paths[obj['apiVersion'], obj['kind']]}?dryRun=All&fieldValidation=Strict"
        code, answer = apiserver.request("POST", path, _sorted(obj))
        message = answer["message"] if code == 400 and "cannot be handled as" in answer["message"] else ""
        assert (obj, _refusal(obj)) == (obj, message)
        refused += bool(message)
    assert OBJECTS > refused > OBJECTS / 2


def _empty(version: str, kind: str) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind}


def _refusal(obj: dict[str, Any]) -> str:
    """The message with which the server's decoder refuses an object, as ovnguard finds it; "" for none."""
    decoded = decode_object(obj, DEFAULT_KUBERNETES)
    assert decoded is not None
    texts = [error.detail for error in decoded.errors]
    if not texts or decoded.errors[0].rule != "strict":
        return "".join(texts)
    version = obj["apiVersion"].rpartition("/")[2]
    head = f'{obj["kind"]} in version "{version}" cannot be handled as a {obj["kind"]}'
    return f"{head}: strict decoding error: {', '.join(texts)}"


def _sorted(value: Any) -> Any:
    """A value as kubectl sends it, with its keys in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value
