"""Objects of built-in kinds: the real API server's decoder, by dry run, refuses the same ones in the same words."""

import random
from typing import Any

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.built_in.decoded import decode_object
from tests.support.built_in_types.server_answers import created_kinds, refusal, sorted_value
from tests.support.built_in_types.wrong_objects import places, wrong_object
from tests.support.soak import sized
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

OBJECTS = sized(200, 12_000)


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
        code, answer = apiserver.request("POST", path, sorted_value(obj))
        message = answer["message"] if code == 400 and "cannot be handled as" in answer["message"] else ""
        assert (obj, refusal(obj)) == (obj, message)
        refused += bool(message)
    assert OBJECTS > refused > OBJECTS / 2


def _empty(version: str, kind: str) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind}
