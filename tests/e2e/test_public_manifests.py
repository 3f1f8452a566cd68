"""Manifests of public projects: ovnguard refuses no object that the API server accepts, and has its decoder's words.

The projects are Go modules, downloaded into the user's cache by the first soak.
"""

from collections import Counter
from typing import Any

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.built_in.decoded import decode_object
from tests.support.built_in_types.public_manifests import modules
from tests.support.built_in_types.server_answers import created_kinds, refusal, sorted_value
from tests.support.soak import limit, soak_only
from tests.support.verdicts.server_verdicts import whole_numbers
from tests.testbed.apiserver import ApiServer

pytestmark = [pytest.mark.e2e, soak_only]


@limit(3600)
def test_no_object_that_the_server_accepts_is_refused(apiserver: ApiServer) -> None:
    paths = created_kinds(apiserver)
    projects, seen, counts, different = Counter[str](), set[str](), Counter[str](), []
    for module in modules():
        for file, made in module.objects():
            obj = sorted_value(whole_numbers(made))
            path = paths.get((obj["apiVersion"], obj["kind"]))
            if path is None or decode_object(obj, DEFAULT_KUBERNETES) is None or repr(obj) in seen:
                continue
            seen.add(repr(obj))
            answer = _refusal(apiserver, path, obj, counts)
            projects[module.path] += 1
            if refusal(obj) != answer:
                different.append((module.path, file, answer, refusal(obj)))
    assert different == []
    assert projects.total() >= 3000, counts
    assert sum(each >= 10 for each in projects.values()) >= 10


def _refusal(server: ApiServer, path: str, obj: dict[str, Any], counts: Counter[str]) -> str:
    """The refusal of the server's decoder, "" for none; other refusals are those of values."""
    if "/namespaces/default/" in path and isinstance(obj.get("metadata"), dict):
        obj["metadata"]["namespace"] = "default"
    code, answer = server.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", obj)
    is_decoder = code == 400 and "cannot be handled as" in answer["message"]
    counts["accepted" if code == 201 else "decoder" if is_decoder else f"other {code}"] += 1
    return answer["message"] if is_decoder else ""
