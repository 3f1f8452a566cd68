"""Send requests for custom resources to a real kube-apiserver and to ovnguard, and report the differences."""

import copy
import http.client
import json
import re
import ssl
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from tests.support.differential.generate import Generator, requests
from tests.support.verdicts.definitions import Sample
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_PROVISIONAL = "this definition takes anything"
_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SET_BY_THE_SERVER = frozenset({"uid", "resourceVersion", "creationTimestamp", "managedFields"})
# A rule over stored data that its schema no longer allows: whether Go meets the bad value first is luck.
_LUCK = "invalid data, expected"
# The server quotes the body, or the first of several complaints in the order of a Go map.
_QUOTES_THE_BODY = "the object provided is unrecognized"
_MISSING = "Object 'Kind' is missing in "
_HAS_AN_ORDER = " cannot be handled as a "


class Answer:
    """Code, decoded body and warnings of one answer."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.code = response.status
        text = response.read()
        # A path that nobody serves yet is answered in plain text.
        is_json = response.headers.get_content_type() == "application/json"
        self.body: Any = json.loads(text) if is_json else text.decode()
        self.warnings = [_text(header) for header in response.headers.get_all("Warning") or ()]


def _text(header: str) -> str:
    """The quoted text of a Warning header: http.client reads Latin-1, the server writes UTF-8."""
    quoted = header.encode("latin-1").decode().split(" ", 2)[2]
    return re.sub(r"\\(.)", r"\1", quoted[1:-1])


class Client:
    """One kept connection as the administrator of the kubeconfig."""

    def __init__(self, server: ApiServer) -> None:
        user = json.loads(server.kubeconfig.read_text(encoding="utf-8"))["users"][0]["user"]
        tls = ssl.create_default_context(cafile=str(server.ca_file))
        tls.load_cert_chain(user["client-certificate"], user["client-key"])
        at = urlsplit(server.url)
        self._connection = http.client.HTTPSConnection(at.hostname or "", at.port, timeout=60, context=tls)

    def send(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Answer:
        """One request; ``kind`` is the media type of the body."""
        sent = None if body is None else json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        headers = {"Content-Type": kind, "Accept": "application/json", **self.headers()}
        try:
            self._connection.request(method, path, sent, headers)
            return Answer(self._connection.getresponse())
        except (ConnectionError, http.client.BadStatusLine):
            if method not in {"GET", "DELETE"}:
                raise
        # a server may end a kept connection at any time; asking again for the same is safe
        self._connection.close()
        self._connection.request(method, path, sent, headers)
        return Answer(self._connection.getresponse())

    def headers(self) -> dict[str, str]:
        """More headers of every request."""
        return {}

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


@dataclass(frozen=True)
class Target:
    """A sample compiled, and where the server serves it."""

    sample: Sample
    crd: CompiledCRD

    @property
    def name(self) -> str:
        """The name of the definition."""
        return f"{self.crd.plural}.{self.crd.group}"

    @property
    def path(self) -> str:
        """The collection that is asked."""
        place = "namespaces/default/" if self.crd.scope == "Namespaced" else ""
        return f"/apis/{self.crd.group}/{self.crd.version}/{place}{self.crd.plural}"

    @property
    def schema(self) -> Any:
        """The schema of the version that is asked."""
        versions = self.sample.definition["spec"]["versions"]
        return next(one["schema"]["openAPIV3Schema"] for one in versions if one["name"] == self.crd.version)


def targets(samples: Iterable[Sample]) -> list[Target]:
    """Every sample compiled."""
    return [Target(sample, compile_crd(sample.definition, version=sample.version)) for sample in samples]


@dataclass(frozen=True)
class Question:
    """One request: ``old`` is what is stored before (None: a creation)."""

    target: Target
    new: dict[str, Any]
    old: dict[str, Any] | None
    subresource: str | None
    validation: str


def questions(target: Target, seed: int) -> Iterator[Question]:
    """What is asked about a sample: half starts from its objects, half from what its schema suggests."""
    generator = Generator(seed, hardness=0.01)
    rng, crd, sample = generator.random, target.crd, target.sample
    head = {"apiVersion": f"{crd.group}/{crd.version}", "kind": crd.kind}
    made = requests(generator, target.schema, head["apiVersion"], crd.kind, crd.has_status, sample.requests)
    for index in range(sample.requests):
        if sample.objects and (index % 2 or sample.requests < 2 * len(sample.objects)):
            start = {**copy.deepcopy(dict(sample.objects[index // 2 % len(sample.objects)])), **head}
            start.setdefault("metadata", {"name": "x"})
            request = _from(generator, start, crd.has_status, rounds=index // 2 // len(sample.objects))
        else:
            request = next(made)
        old = request.get("oldObject")
        status = request["operation"] == "STATUS"
        validation = rng.choices(("Warn", "Strict", "Ignore"), (8, 2, 1))[0]
        yield _named(Question(target, request["object"], old, "status" if status else None, validation), index)


def _from(generator: Generator, start: dict[str, Any], has_status: bool, rounds: int) -> dict[str, Any]:
    """A request that starts from an object: created as it is first, then created and updated with things changed."""
    rng = generator.random
    if rounds == 0:
        return {"operation": "CREATE", "object": start}
    times = rng.choice((0, 1, 1, 2, 3))
    operation = rng.choice(("CREATE", "UPDATE", "UPDATE", "STATUS" if has_status else "UPDATE"))
    if operation == "CREATE":
        return {"operation": operation, "object": _spoiled(generator, start, times)}
    old = _spoiled(generator, start, rng.choice((0, 0, 1, 2)))
    old = {**old, "apiVersion": start["apiVersion"], "kind": start["kind"], "metadata": {"name": "x"}}
    return {"operation": operation, "object": _spoiled(generator, rng.choice((start, old)), times), "oldObject": old}


def _spoiled(generator: Generator, obj: dict[str, Any], times: int) -> dict[str, Any]:
    """The object with things changed: mostly in its parts, now and then anywhere."""
    if generator.random.random() < 0.1:
        changed: dict[str, Any] = generator.mutated(obj, times)
        return changed
    head = {key: obj[key] for key in ("apiVersion", "kind", "metadata") if key in obj}
    return {**generator.mutated({key: one for key, one in obj.items() if key not in head}, times), **head}


def _named(asked: Question, index: int) -> Question:
    """The question with a name that no other has: what an update stores must not be there already."""
    if asked.old is None:
        return asked
    name, new = f"n{index}-{asked.target.crd.version}", asked.new
    if isinstance(new.get("metadata"), dict) and new["metadata"].get("name") == "x":
        new = {**new, "metadata": {**new["metadata"], "name": name}}
    return Question(asked.target, new, {**asked.old, "metadata": {"name": name}}, asked.subresource, asked.validation)


@contextmanager
def provisional(client: Client, asked: Sequence[Target]) -> Iterator[None]:
    """The definitions with schemas that take anything, so that objects can be stored that are invalid later."""
    distinct = {target.name: target for target in asked}
    with ExitStack() as gone, ExitStack() as undo:
        for target in distinct.values():
            answer = client.send("POST", CRDS, _lax(target.sample.definition))
            assert answer.code == 201, answer.body
            # delete every definition, even if one fails, before waiting for any
            gone.callback(_wait_until_gone, client, target.name)
            undo.callback(_delete, client, target.name)
        _wait_for(client, asked, lax=True)
        try:
            yield
        finally:
            # What the strict schema cannot even read could not be deleted either.
            _patch(client, asked, lambda definition: _lax(definition)["spec"]["versions"], lax=True)


def _delete(client: Client, name: str) -> None:
    answer = client.send("DELETE", f"{CRDS}/{name}")
    assert answer.code in {200, 202}, answer.body


def _wait_until_gone(client: Client, name: str) -> None:
    # the server removes the objects of a few definitions at a time, and looks every 5 s whether they are gone
    wait_until(lambda: client.send("GET", f"{CRDS}/{name}").code == 404, f"{name} is gone", 300)


def _lax(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The definition without anything that judges; its warning tells that it is in force."""
    spec = definition["spec"]
    versions = [
        {key: version[key] for key in ("name", "served", "storage")}
        | {"schema": {"openAPIV3Schema": _ANYTHING}, "deprecated": True, "deprecationWarning": _PROVISIONAL}
        for version in spec["versions"]
    ]
    meta = {key: definition["metadata"][key] for key in ("name", "annotations") if key in definition["metadata"]}
    return {**definition, "metadata": meta, "spec": {**spec, "versions": versions}}


def _warns(client: Client, target: Target) -> bool:
    """Whether the provisional version is in force."""
    return _PROVISIONAL in client.send("GET", f"{target.path}/none").warnings


def make_strict(client: Client, asked: Sequence[Target]) -> None:
    """The definitions as they are meant, in force when this returns."""
    _patch(client, asked, lambda definition: definition["spec"]["versions"], lax=False)


def _patch(client: Client, asked: Sequence[Target], versions: Callable[[Any], Any], *, lax: bool) -> None:
    for target in {target.name: target for target in asked}.values():
        # A merge patch would take the nulls out of defaults.
        patch = [{"op": "replace", "path": "/spec/versions", "value": versions(target.sample.definition)}]
        answer = client.send("PATCH", f"{CRDS}/{target.name}", patch, "application/json-patch+json")
        assert answer.code == 200, answer.body
    _wait_for(client, asked, lax=lax)


def _wait_for(client: Client, asked: Sequence[Target], *, lax: bool) -> None:
    def in_force() -> bool:
        return all(_warns(client, target) == lax for target in asked)

    wait_until(in_force, "the definitions are in force", 60)


def stored(client: Client, asked: Question) -> dict[str, Any] | None:
    """Store the old object of a question, as it is; None for a creation."""
    if asked.old is None:
        return None
    answer = client.send("POST", asked.target.path, asked.old)
    assert answer.code == 201, (answer.body, asked.old)
    made: dict[str, Any] = answer.body
    return made


def compared(client: Client, asked: Question, old: dict[str, Any] | None) -> tuple[Answer, list[str]]:
    """The server's answer as a dry run, and what ours has otherwise."""
    crd, new = asked.target.crd, asked.new
    query = f"?dryRun=All&fieldValidation={asked.validation}"
    if old is None:
        answer = client.send("POST", asked.target.path + query, new)
    else:
        new = _as_read(new, old["metadata"])
        below = "/status" if asked.subresource else ""
        answer = client.send("PUT", f"{asked.target.path}/{old['metadata']['name']}{below}{query}", new)
    verdict = crd.verdict(new, old=old, subresource=asked.subresource, field_validation=asked.validation)
    return answer, differences(verdict, answer)


def _as_read(new: dict[str, Any], old_meta: Mapping[str, Any]) -> dict[str, Any]:
    """The object of a client that has read the stored one."""
    meta = new.get("metadata") or {}
    if not isinstance(meta, dict):
        return new
    known = {key: meta.get(key) or old_meta[key] for key in ("name", "resourceVersion")}
    return {**new, "metadata": {**meta, **known}}


def differences(verdict: Verdict, answer: Answer) -> list[str]:
    """What differs, one line each; [] when ours is the server's answer."""
    status = verdict.status()
    code = 200 if status is None else status["code"]
    if (code if code != 200 or answer.code != 201 else 201) != answer.code:
        return [f"code: {code} {status}, server {answer.code} {answer.body}"]
    found = []
    warnings = [text for text in verdict.warnings if _fits_a_header(text)]
    if _in_order(warnings) != _in_order(answer.warnings):
        found.append(f"warnings: {list(verdict.warnings)}, server {answer.warnings}")
    if status is not None:
        return found + list(_status_differences(status, answer.body))
    ours, theirs = _comparable(verdict.object), _comparable(answer.body)
    return found if ours == theirs else [*found, f"object: {ours}\n  server: {theirs}"]


def _fits_a_header(text: str) -> bool:
    """The server says nothing where the text has control characters (apimachinery, NewWarningHeader)."""
    return not any(unicodedata.category(rune) == "Cc" for rune in text)


def _in_order(warnings: Iterable[str]) -> tuple[list[str], list[str]]:
    """Unknown fields come sorted; what is forgiven has the order of Go's maps."""
    listed = list(warnings)
    unknown = [text for text in listed if text.startswith("unknown field ")]
    return unknown, sorted(text for text in listed if text not in unknown)


def _comparable(obj: Any) -> str:
    """An object as text, but for what the server sets; 1.0 and 1 are one number in JSON."""
    meta = {key: one for key, one in obj["metadata"].items() if key not in _SET_BY_THE_SERVER}
    return json.dumps(whole_numbers({**obj, "metadata": meta}), sort_keys=True, ensure_ascii=False)


def whole_numbers(value: Any) -> Any:
    """A JSON value as Go writes it: 1.0 is 1."""
    if isinstance(value, dict):
        return {key: whole_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [whole_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_luck(body: Any) -> bool:
    """Whether the texts of this refusal depend on the order of a Go map."""
    return _LUCK in json.dumps(body)


def _status_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    """Causes have the order of Go's maps, and so have the texts in a message that lists several."""
    if is_luck(ours) or is_luck(theirs):
        return
    for key in sorted(ours.keys() | theirs.keys()):
        mine, yours = _read(ours, key), _read(theirs, key)
        if mine != yours:
            yield f"{key}: {mine!r}\n  server: {yours!r}"


def _read(status: Mapping[str, Any], key: str) -> Any:
    """What can be compared of a part of a status."""
    if key == "details":
        return _details(status)
    return _message(status) if key == "message" else status.get(key)


def _details(status: Mapping[str, Any]) -> tuple[Any, Any]:
    details = dict(status.get("details") or {})
    causes = Counter((one["reason"], one["field"], one["message"]) for one in details.pop("causes", ()))
    return details, causes


def _message(status: Mapping[str, Any]) -> Any:
    message: str = status["message"]
    if message.startswith(_QUOTES_THE_BODY):
        return message.partition(" in '{")[0].partition(" ({")[0]
    if status["code"] == 500:
        # A stored object that cannot be read; which of its flaws is met first is luck.
        return message.partition(": ")[2]
    if _MISSING in message:
        return message.partition(_MISSING)[0]
    if _HAS_AN_ORDER in message and "strict decoding" not in message:
        return message.partition(": ")[0]
    causes = (status.get("details") or {}).get("causes") or ()
    return message if len(causes) < 2 else "".join(sorted(message))
