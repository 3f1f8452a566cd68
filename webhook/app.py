"""The HTTP application: four routes around the one judgement. Any WSGI server can carry it.

A call goes through these steps, and each can end it: method (405), content type (415), length (411, 413), codec (400),
judgement, answer. From the codec on every answer is an AdmissionReview with the uid of its request, a crash included.
"""

import json
import logging
import time
from collections.abc import Callable
from typing import Final, TypeAlias

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from validators.admission import Judgement, Operation, Request
from validators.json_types import JsonObject
from validators.network.view import ClusterView
from webhook import responses
from webhook.patch import diff
from webhook.review import AdmissionRequest, BadReview, Limits, decode

Judge: TypeAlias = Callable[[Request, ClusterView], Judgement]
Handler: TypeAlias = Callable[[AdmissionRequest], JsonObject]

log = logging.getLogger("ovnguard.webhook")
_JSON: Final = "application/json"
DEFAULT_LIMITS: Final = Limits()
_MAX_LOGGED: Final = 256
NETWORK_RULES: Final = "OVNG-"
"""How the ids of network rules begin; everything else is said by a schema."""
_REASONS: Final = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    411: "LengthRequired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    500: "InternalError",
}


def always() -> bool:
    """The readiness and the health of a view that is complete from the start."""
    return True


def create_app(
    view: ClusterView,
    judge: Judge,
    limits: Limits = DEFAULT_LIMITS,
    ready: Callable[[], bool] = always,
    healthy: Callable[[], bool] = always,
) -> Flask:
    """Make the application: POST /validate and /mutate, GET /healthz and /readyz, nothing else.

    ``judge`` is called with every request and ``view``. ``ready`` says whether the view has seen its cluster,
    ``healthy`` whether it will go on seeing it.
    """
    app = Flask(__name__, static_folder=None)
    door = _Door(view, judge, limits)
    for path, answer in (("/validate", door.validate), ("/mutate", door.mutate)):
        app.add_url_rule(path, path[1:], door.opened(answer), methods=["POST"], provide_automatic_options=False)
    for path, check in (("/healthz", healthy), ("/readyz", ready)):
        app.add_url_rule(path, path[1:], _probe(check), methods=["GET"], provide_automatic_options=False)
    app.register_error_handler(HTTPException, _http_error)
    # The one net under everything: what no step foresaw is answered too, or the API server waits for its timeout.
    app.register_error_handler(Exception, _crash)
    return app


class _Door:
    """What both admission routes share."""

    def __init__(self, view: ClusterView, judge: Judge, limits: Limits) -> None:
        self._view = view
        self._judge = judge
        self._limits = limits

    def opened(self, answer: Handler) -> Callable[[], Response]:
        """Wrap ``answer`` into a Flask view: read and decode before it, log after it."""

        def serve() -> Response:
            started = time.perf_counter()
            bad = _refusal(self._limits)
            review = bad or decode(request.get_data(cache=False), self._limits)
            if isinstance(review, BadReview):
                log.warning("not a review", extra={"fields": {"path": request.path, "error": review.text}})
                return _failure(review.status, review.text)
            g.uid, g.review, g.started = review.uid, review, started
            body = answer(review)
            _log_decision(review, body)
            return _json(200, body)

        return serve

    def validate(self, review: AdmissionRequest) -> JsonObject:
        """Judge what would be stored."""
        judgement = self._judged(review)
        if judgement.allowed:
            return responses.allowed(review.uid, _remarks(judgement, "allowed"))
        return _denial(review, judgement)

    def mutate(self, review: AdmissionRequest) -> JsonObject:
        """Answer the patch that writes down the selected values.

        Nothing is selected for a DELETE or a subresource. What network rules refuse is refused here already: the
        selection may be the very thing that is impossible. What the schema refuses passes unchanged, because the API
        server checks it next and says so in its own name.
        """
        if review.object is None or review.operation is Operation.DELETE or review.sub_resource:
            return responses.allowed(review.uid)
        judgement = self._judged(review)
        if not judgement.allowed:
            refused_by_rules = any(error.rule.startswith(NETWORK_RULES) for error in judgement.errors)
            return _denial(review, judgement) if refused_by_rules else responses.allowed(review.uid)
        patch = diff(review.object, judgement.mutated)
        return responses.patched(review.uid, patch, _remarks(judgement, "patched" if patch else "allowed"))

    def _judged(self, review: AdmissionRequest) -> Judgement:
        asked = Request(review.operation, review.object, review.old_object, review.sub_resource)
        judgement = self._judge(asked, self._view)
        g.rules = _rules(judgement)
        return judgement


def _refusal(limits: Limits) -> BadReview | None:
    """What can be said before the body is read."""
    if request.mimetype != _JSON:
        return BadReview(415, f"Content-Type: {_JSON} is expected, not {json.dumps(request.mimetype)}")
    length = request.content_length
    if length is None:
        return BadReview(411, "Content-Length: the length of the body is required")
    if length > limits.body_bytes:
        return BadReview(413, f"the body has {length} bytes, at most {limits.body_bytes} are accepted")
    return None


def _rules(judgement: Judgement) -> list[str]:
    """The rules that spoke, each once, in their order."""
    return list(dict.fromkeys(error.rule for error in (*judgement.errors, *judgement.warnings) if error.rule))


def _remarks(judgement: Judgement, decision: str) -> responses.Remarks:
    # What the API server has pruned before it asks us cannot be unknown here, unless it serves other schemas than ours.
    texts = (*(warning.text for warning in judgement.warnings), *judgement.schema_warnings)
    return responses.Remarks(
        responses.warning_lines(texts),
        responses.audit_annotations(decision, _rules(judgement), judgement.schema_set, judgement.notes),
    )


def _denial(review: AdmissionRequest, judgement: Judgement) -> JsonObject:
    name = review.name or _name(review.object) or _name(review.old_object)
    return responses.denied(review.uid, review.kind, name, judgement.errors, _remarks(judgement, "denied"))


def _name(obj: JsonObject | None) -> str:
    metadata = obj.get("metadata") if obj else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _log_decision(review: AdmissionRequest, body: JsonObject) -> None:
    """One line per decision; who and what and why, never a body."""
    answer = body["response"]
    fields: JsonObject = {
        "path": request.path,
        "uid": review.uid,
        "gvk": str(review.kind),
        "namespace": review.namespace,
        "name": review.name or _name(review.object),
        "operation": str(review.operation),
        "subresource": review.sub_resource,
        "user": str(review.user_info.get("username", "")),
    }
    fields = {key: value[:_MAX_LOGGED] for key, value in fields.items()}
    fields |= {
        "dryRun": review.dry_run,
        "allowed": answer["allowed"],
        "patched": "patch" in answer,
        "rules": g.get("rules", []),
        "ms": round((time.perf_counter() - g.started) * 1000, 3),
    }
    log.info("decision", extra={"fields": fields})


def _probe(check: Callable[[], bool]) -> Callable[[], Response]:
    def serve() -> Response:
        well = check()
        return Response("ok\n" if well else "no\n", 200 if well else 503, mimetype="text/plain")

    return serve


def _http_error(error: HTTPException) -> Response:
    response = _failure(error.code or 500, f"{request.method} {request.path}: {error.name}")
    # 405 owes its caller the methods that would do
    response.headers.extend([(key, value) for key, value in error.get_headers() if key == "Allow"])
    return response


def _crash(error: Exception) -> Response:
    """Answer for a step that failed unforeseen; the cause is in the log, found by the uid."""
    uid = g.get("uid", "")
    log.error("crashed", exc_info=error, extra={"fields": {"path": request.path, "uid": uid[:_MAX_LOGGED]}})
    text = f"ovnguard could not judge this request ({type(error).__name__}); its log says why"
    if not uid:
        return _failure(500, text)
    body = responses.errored(uid, 500, f"{text} under uid {uid}")
    _log_decision(g.review, body)
    return _json(200, body)


def _failure(code: int, text: str) -> Response:
    return _json(code, responses.failure(code, _REASONS.get(code, "Unknown"), text))


def _json(code: int, body: JsonObject) -> Response:
    return Response(json.dumps(body), code, mimetype=_JSON)
