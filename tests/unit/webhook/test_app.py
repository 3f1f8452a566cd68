"""The application without a server: routes, statuses, decisions, log lines."""

import base64
import io
import json
import logging
import math
import threading
import time

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from ovnguard.validators.admission import Judgement, Request
from ovnguard.validators.admission import judge as judge_all
from ovnguard.validators.base import deadline
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.crd.compiled_crd import compile_crd
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from ovnguard.webhook.admission.handlers import Actors
from ovnguard.webhook.admission.review import Limits
from ovnguard.webhook.app import ARRIVED, CLIENT_NAMES, REQUEST_READ, Options, create_app, create_metrics_app
from ovnguard.webhook.observability.metrics import NO_TELEMETRY, NoTelemetry
from tests.support.admission_reviews import NOTE, UID, body, judge, network
from tests.support.manifests.network_objects import layer2, nad, rendered, stored

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def client():
    return create_app(EmptyView(), judge, Options(Limits(body_bytes=4096))).test_client()


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.DEBUG, "ovnguard.webhook")
    return lambda: [record.fields for record in caplog.records if record.name == "ovnguard.webhook"]


def definition(schema):
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "clusteruserdefinednetworks", "kind": "ClusterUserDefinedNetwork"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "clusteruserdefinednetworks.k8s.ovn.org",
            "annotations": {"api-approved.kubernetes.io": "-"},
        },
        "spec": {"group": "k8s.ovn.org", "scope": "Cluster", "names": names, "versions": [version]},
    }


def post(client, path, data, headers=JSON):
    answer = client.post(path, data=data, headers=headers)
    return answer.status_code, answer.get_json()


def admitted(client, path, **changes):
    status, answer = post(client, path, body(**changes))
    assert status == 200
    assert answer["response"]["uid"] == UID
    return answer["response"]


def test_there_are_four_routes(client):
    rules = client.application.url_map.iter_rules()
    assert sorted((rule.rule, *sorted(rule.methods)) for rule in rules) == [
        ("/healthz", "GET", "HEAD"),
        ("/mutate", "POST"),
        ("/readyz", "GET", "HEAD"),
        ("/validate", "POST"),
    ]


def test_allowed(client):
    assert admitted(client, "/validate") == {
        "uid": UID,
        "allowed": True,
        "auditAnnotations": {"decision": "allowed", "schema-set": "enhancement"},
    }


def test_denied_with_causes_warnings_and_rules(client):
    response = admitted(client, "/validate", object=network(refuse=["x", "y"], warn=["a\nb"], note=["not checked: z"]))
    assert response["allowed"] is False
    assert response["status"]["code"] == 422
    assert response["status"]["message"] == (
        'ClusterUserDefinedNetwork.k8s.ovn.org "blue" is invalid: '
        '[spec.refuse: Invalid value: "x": refused by the test, '
        'spec.refuse: Invalid value: "y": refused by the test]'
    )
    assert [cause["field"] for cause in response["status"]["details"]["causes"]] == ["spec.refuse"] * 2
    assert response["warnings"] == ["spec.warn: Forbidden: a b"]
    assert response["auditAnnotations"] == {
        "decision": "denied",
        "rules": "OVNG-T0,OVNG-T1,OVNG-W",
        "schema-set": "enhancement",
        "notes": "not checked: z",
    }


def test_fields_that_only_the_cluster_knows_are_warned_about(client):
    response = admitted(client, "/validate", object=network(unknown=['unknown field "spec.new"'], warn=["first"]))
    assert response["warnings"] == ["spec.warn: Forbidden: first", 'unknown field "spec.new"']


def test_denial_names_the_object_when_the_request_does_not(client):
    message = admitted(client, "/validate", name=None, object=network(refuse=["x"]))["status"]["message"]
    assert message.startswith('ClusterUserDefinedNetwork.k8s.ovn.org "blue" is invalid')


def test_mutate_patches_what_was_selected(client):
    response = admitted(client, "/mutate", object=network(select="100.89.0.0/16"))
    assert response["auditAnnotations"]["decision"] == "patched"
    assert json.loads(base64.b64decode(response["patch"])) == [
        {"op": "add", "path": "/metadata/annotations", "value": {NOTE: "100.89.0.0/16"}}
    ]


def test_mutate_leaves_alone_what_has_it(client):
    chosen = network(select="v4")
    chosen["metadata"]["annotations"] = {NOTE: "v4"}
    assert "patch" not in admitted(client, "/mutate", object=chosen)


def test_mutate_denies_what_cannot_be_selected(client):
    response = admitted(client, "/mutate", object=network(select="v4", refuse=["nothing is free"]))
    assert response["allowed"] is False
    assert "patch" not in response
    assert "nothing is free" in response["status"]["message"]


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "DELETE", "object": None, "oldObject": network(refuse=["x"])},
        {"operation": "UPDATE", "oldObject": network(), "subResource": "status", "object": network(refuse=["x"])},
    ],
    ids=["DELETE", "status"],
)
def test_mutate_lets_through_unchanged(client, changes):
    assert admitted(client, "/mutate", **changes) == {"uid": UID, "allowed": True}


def test_mutate_leaves_schema_errors_to_the_api_server():
    error = FieldError(
        ErrorType.INVALID, "spec.network", detail="wrong", rule="spec.network.x-kubernetes-validations[0]"
    )

    def refuse(request: Request, view: ClusterView) -> Judgement:
        return Judgement(False, request.object, request.object, errors=(error,))

    client = create_app(EmptyView(), refuse).test_client()
    assert admitted(client, "/mutate") == {"uid": UID, "allowed": True}
    assert admitted(client, "/validate")["allowed"] is False


def test_judge_sees_the_request_as_it_is():
    seen = []

    def remember(request, view):
        seen.append((request, view))
        return judge(request, view)

    view = EmptyView()
    client = create_app(view, remember).test_client()
    old = network(mtu=1400)
    admitted(client, "/validate", operation="UPDATE", oldObject=old, subResource="status")
    [(request, given)] = seen
    assert given is view
    assert (request.operation, request.object, request.old, request.subresource) == ("UPDATE", network(), old, "status")


def status(code, reason, message, **more):
    shape = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return shape | {"message": message, "reason": reason, "code": code} | more


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
def test_crash_is_no_verdict_and_names_the_uid(client, lines, caplog, path):
    code, answer = post(client, path, body(object=network(crash="secret")))
    text = f"ovnguard could not judge this request (ZeroDivisionError); its log has the reason under uid {UID}"
    assert (code, answer) == (500, status(500, "InternalError", text, details={"uid": UID}))
    assert caplog.records[0].levelname == "ERROR"
    assert caplog.records[0].exc_info[0] is ZeroDivisionError
    assert lines()[0] == {"path": path, "uid": UID}
    assert (lines()[1]["verdict"], lines()[1]["reason"], lines()[1]["allowed"]) == ("failed", "crash", False)


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
@pytest.mark.timing
def test_late_judgement_is_no_verdict_and_ends(lines, path):
    rounds = []

    def slow(request: Request, view: ClusterView) -> Judgement:
        while request.user == "slow":
            rounds.append(threading.current_thread())
            deadline.check()
        return judge(request, view)

    client = create_app(EmptyView(), slow).test_client()
    code, answer = post(client, f"{path}?timeout=100ms", body(userInfo={"username": "slow"}))
    text = "ovnguard: not judged within 0.08 s"
    assert (code, answer) == (504, status(504, "Timeout", text, details={"uid": UID}))
    assert (lines()[0]["verdict"], lines()[0]["reason"]) == ("failed", "timeout")
    # in the thread of the request, which goes on
    assert set(rounds) == {threading.current_thread()}
    assert admitted(client, path)["allowed"] is True


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
@pytest.mark.timing
def test_a_hostile_object_is_answered_before_the_timeout(path):
    names = [f"p{number}" for number in range(2000)]
    spec = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "anyOf": [{"properties": {name: {"maxLength": 1}}} for name in names],
    }
    crd = compile_crd(definition({"type": "object", "properties": {"spec": spec}}))
    ended = []

    def hostile(request: Request, view: ClusterView) -> Judgement:
        crd.verdict(request.object or {})
        ended.append(request)
        return judge(request, view)

    client = create_app(EmptyView(), hostile).test_client()
    code, answer = post(client, f"{path}?timeout=50ms", body(object=network(**dict.fromkeys(names, "xx"))))
    assert (code, answer["message"]) == (504, "ovnguard: not judged within 0.04 s")
    assert not ended


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
def test_the_time_that_a_request_waited_counts(path):
    def late(request: Request, view: ClusterView) -> Judgement:
        deadline.check()
        return judge(request, view)

    client = create_app(EmptyView(), late).test_client()
    for waited, status_code in ((3.0, 200), (5.0, 504)):
        environ = {ARRIVED: time.monotonic() - waited}
        answer = client.post(f"{path}?timeout=6s", data=body(), headers=JSON, environ_overrides=environ)
        assert answer.status_code == status_code


def test_deadline_of_a_call_ends_with_it(client):
    admitted(client, "/validate?timeout=100ms")
    assert deadline.end() == math.inf


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
def test_nothing_is_judged_before_the_cluster_is_seen(path):
    client = create_app(EmptyView(), judge, Options(synced=lambda: False)).test_client()
    code, answer = post(client, path, body())
    text = "ovnguard has not seen the whole cluster yet"
    assert (code, answer) == (503, status(503, "ServiceUnavailable", text, details={"uid": UID}))


def test_a_tenant_learns_nothing_of_other_namespaces():
    mine, theirs = (
        nad(name="shared", netAttachDefName="red/blue"),
        nad(name="shared", netAttachDefName="vault/blue", mtu=9),
    )
    theirs["metadata"]["namespace"] = "vault"
    client = create_app(ObjectsView([theirs]), judge_all).test_client()
    kind = {"group": "k8s.cni.cncf.io", "version": "v1", "kind": "NetworkAttachmentDefinition"}
    code, answer = post(client, "/validate", body(object=mine, kind=kind, namespace="red"))
    text = "NAD red/blue CNI config does not match that of network shared"
    assert (code, answer["response"]["allowed"]) == (200, False)
    assert answer["response"]["status"]["message"].endswith(f"{text} in another namespace")
    assert "vault" not in json.dumps(answer["response"]["status"])
    assert answer["response"]["auditAnnotations"]["findings"].endswith(f"{text}: mtu not as in vault/blue")


@pytest.mark.parametrize("path", ["/validate", "/mutate"])
def test_the_cluster_manager_tries_again_until_its_network_is_seen(path):
    attachment = rendered(stored(layer2("10.41.0.0/16")))
    client = create_app(
        ObjectsView([]), judge_all, Options(actors=Actors(managers=frozenset({"manager"})))
    ).test_client()
    kind = {"group": "k8s.cni.cncf.io", "version": "v1", "kind": "NetworkAttachmentDefinition"}
    review = body(object=attachment, kind=kind, namespace="red", userInfo={"username": "manager"})
    code, answer = post(client, path, review)
    text = "ovnguard has not seen ClusterUserDefinedNetwork blue with uid uid-1 yet"
    assert (code, answer) == (503, status(503, "ServiceUnavailable", text, details={"uid": UID}))


@pytest.mark.parametrize(
    ("clients", "names", "refused"),
    [
        (None, (), ""),
        (frozenset(), (), "a client certificate of the registered authority is required"),
        (frozenset(), ("anybody",), ""),
        (frozenset({"a", "b"}), ("x", "b"), ""),
        (frozenset({"a"}), ("x", "y"), 'client certificate "x" is not authorized'),
    ],
)
def test_client_certificate_must_have_an_allowed_name(clients, names, refused):
    client = create_app(EmptyView(), judge, Options(clients=clients)).test_client()
    answer = client.post("/validate", data=body(), headers=JSON, environ_overrides={CLIENT_NAMES: names})
    if refused:
        assert (answer.status_code, answer.get_json()) == (403, status(403, "Forbidden", refused))
    else:
        assert answer.get_json()["response"]["allowed"] is True
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("more", [{"subResource": "scale"}, {"operation": "CREATE", "subResource": "status"}])
def test_other_subresources_are_not_judged(client, more):
    more = {"operation": "UPDATE", "oldObject": network(), **more}
    assert admitted(client, "/validate", object=network(refuse=["x"]), **more) == {"uid": UID, "allowed": True}


def test_the_judge_gets_the_user():
    seen = []

    def remember(request: Request, view: ClusterView) -> Judgement:
        seen.append(request.user)
        return judge(request, view)

    client = create_app(EmptyView(), remember).test_client()
    admitted(client, "/validate")
    admitted(client, "/validate", userInfo=None)
    assert seen == ["alice", ""]


def test_deletion_is_judged(client):
    response = admitted(client, "/validate", operation="DELETE", object=None, oldObject=network())
    assert response["allowed"] is True
    assert response["auditAnnotations"]["decision"] == "allowed"


@pytest.mark.parametrize(
    ("method", "path", "data", "headers", "status", "reason", "message"),
    [
        ("GET", "/validate", b"", {}, 405, "MethodNotAllowed", "GET /validate: Method Not Allowed"),
        ("PUT", "/mutate", b"{}", JSON, 405, "MethodNotAllowed", "PUT /mutate: Method Not Allowed"),
        ("OPTIONS", "/mutate", b"", {}, 405, "MethodNotAllowed", "OPTIONS /mutate: Method Not Allowed"),
        ("POST", "/", b"{}", JSON, 404, "NotFound", "POST /: Not Found"),
        ("GET", "/static/x", b"", {}, 404, "NotFound", "GET /static/x: Not Found"),
        (
            "POST",
            "/validate",
            b"{}",
            {"Content-Type": "text/yaml"},
            415,
            "UnsupportedMediaType",
            'Content-Type: application/json is expected, not "text/yaml"',
        ),
        (
            "POST",
            "/validate",
            b"{}",
            {},
            415,
            "UnsupportedMediaType",
            'Content-Type: application/json is expected, not ""',
        ),
        (
            "POST",
            "/validate",
            b"x" * 4097,
            JSON,
            413,
            "RequestEntityTooLarge",
            "the body has 4097 bytes, at most 4096 are accepted",
        ),
        (
            "POST",
            "/validate",
            b"hello",
            JSON,
            400,
            "BadRequest",
            "the body is not JSON: Expecting value (line 1, column 1)",
        ),
    ],
)
def test_bad_calls(client, method, path, data, headers, status, reason, message):
    answer = client.open(path, method=method, data=data, headers=headers)
    assert answer.status_code == status
    assert answer.content_type == "application/json"
    assert answer.get_json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": status,
    }


@pytest.mark.parametrize("host", [None, ""])
@pytest.mark.parametrize(("method", "path"), [("GET", "/readyz"), ("POST", "/validate"), ("GET", "/nowhere")])
def test_request_without_host(client, method, path, host):
    # what a server passes on; the client of tests would add a Host
    environ = EnvironBuilder(path=path, method=method).get_environ()
    del environ["HTTP_HOST"]
    parts, line, _ = run_wsgi_app(client.application, environ if host is None else {**environ, "HTTP_HOST": host})
    expected = status(400, "BadRequest", "Host: the header is required")
    assert (line, json.loads(b"".join(parts))) == ("400 BAD REQUEST", expected)


@pytest.mark.parametrize(("address", "code"), [("192.0.2.1", 200), ("192.0.2.2", 403)])
def test_only_addresses_of_api_servers_may_ask(address, code):
    client = create_app(EmptyView(), judge, Options(accepts="192.0.2.1".__eq__)).test_client()
    answer = client.post("/validate", data=body(), headers=JSON, environ_overrides={"REMOTE_ADDR": address})
    assert answer.status_code == code
    if code == 403:
        text = "the address of the client is not one of an API server"
        assert answer.get_json() == status(403, "Forbidden", text)
    assert client.get("/healthz", environ_overrides={"REMOTE_ADDR": address}).status_code == 200


def test_forwarded_address_is_not_believed():
    client = create_app(EmptyView(), judge, Options(accepts="192.0.2.1".__eq__)).test_client()
    forwarded = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1", "X-Real-IP": "192.0.2.1"}
    environ = {"REMOTE_ADDR": "192.0.2.2"}
    answer = client.post("/validate", data=body(), headers=JSON | forwarded, environ_overrides=environ)
    assert answer.status_code == 403


class TestMetrics:
    """The application of metrics has a port of its own."""

    def test_one_route(self):
        client = create_metrics_app(NO_TELEMETRY).test_client()
        answer = client.get("/metrics")
        assert (answer.status_code, answer.mimetype) == (200, "text/plain")
        assert client.post("/validate", data=body(), headers=JSON).status_code == 404
        assert client.get("/metrics", headers={"Host": ""}).status_code == 400

    def test_client_certificate(self):
        client = create_metrics_app(NO_TELEMETRY, named=True).test_client()
        refused = client.get("/metrics")
        text = "a client certificate of the registered authority is required"
        assert (refused.status_code, refused.get_json()) == (403, status(403, "Forbidden", text))
        assert client.get("/metrics", environ_overrides={CLIENT_NAMES: ("prometheus",)}).status_code == 200

    def test_crash_is_a_status(self, caplog):
        class Crashing(NoTelemetry):
            def exposition(self):
                raise OSError("disk")

        answer = create_metrics_app(Crashing()).test_client().get("/metrics")
        text = "ovnguard could not answer this request (OSError)"
        assert (answer.status_code, answer.get_json()) == (500, status(500, "InternalError", text))
        assert "disk" in caplog.text


def test_wrong_method_says_which_would_do(client):
    assert client.get("/validate").headers["Allow"] == "POST"


def test_body_without_length(client):
    answer = client.post("/validate", input_stream=None, headers=JSON | {"Transfer-Encoding": "chunked"})
    assert (answer.status_code, answer.get_json()["message"]) == (
        411,
        "Content-Length: the length of the body is required",
    )


def test_content_type_may_have_a_charset(client):
    assert post(client, "/validate", body(), {"Content-Type": "application/json; charset=utf-8"})[0] == 200


def test_next_request_is_served_after_bad_ones(client):
    assert post(client, "/validate", b"{")[0] == 400
    assert post(client, "/validate", body(object=network(crash="x")))[0] == 500
    assert admitted(client, "/validate")["allowed"] is True


@pytest.mark.parametrize(("unready", "unhealthy"), [((), ()), (("a", "b"), ()), ((), ("c",))])
def test_probes_answer_with_the_reasons(unready, unhealthy):
    options = Options(unready=lambda: unready, unhealthy=lambda: unhealthy)
    client = create_app(EmptyView(), judge, options).test_client()
    for path, reasons in (("/readyz", unready), ("/healthz", unhealthy)):
        answer = client.get(path)
        assert answer.mimetype == "text/plain"
        expected = (503, "".join(f"{reason}\n" for reason in reasons)) if reasons else (200, "ok\n")
        assert (answer.status_code, answer.text) == expected


def test_body_that_ends_early_is_no_verdict(client):
    data = body()
    environ = {"CONTENT_LENGTH": str(len(data) + 1), "wsgi.input_terminated": True}
    answer = client.post("/validate", input_stream=io.BytesIO(data), headers=JSON, environ_overrides=environ)
    text = f"the body ends after {len(data)} of {len(data) + 1} bytes"
    assert (answer.status_code, answer.get_json()["message"]) == (400, text)


@pytest.mark.parametrize(("headers", "read"), [(JSON, [True]), ({"Content-Type": "text/plain"}, [])])
def test_server_learns_when_the_request_is_read(client, headers, read):
    calls = []
    environ = {REQUEST_READ: lambda: calls.append(True)}
    client.post("/validate", data=body(), headers=headers, environ_overrides=environ)
    assert calls == read


def test_one_line_per_decision_without_bodies(client, lines):
    admitted(client, "/validate", object=network(refuse=["do-not-log"]), namespace="ns", name="n" * 300, dryRun=True)
    [line] = lines()
    assert line.pop("ms") >= 0
    assert line == {
        "path": "/validate",
        "uid": UID,
        "gvk": "k8s.ovn.org/v1/ClusterUserDefinedNetwork",
        "namespace": "ns",
        "name": "n" * 256,
        "operation": "CREATE",
        "subresource": "",
        "user": "alice",
        "dryRun": True,
        "verdict": "denied",
        "allowed": False,
        "patched": False,
        "reason": "rules",
        "rules": ["OVNG-T0"],
    }


def test_bad_review_is_logged(client, lines):
    post(client, "/validate", b"[]")
    assert lines() == [{"path": "/validate", "error": "an AdmissionReview object is expected, not []"}]
