"""The HTTP application: four routes around the one judgement, and one of metrics. Any WSGI server can run them.

A call passes these steps; each can end it: Host (400), method (405), client (403), content type (415), length (411,
413), body (400), codec (400), judgement, answer. A judgement is answered with an AdmissionReview with the uid of its
request. Without a judgement (500, 503, 504) the details of the error contain the uid, and the registration's
``failurePolicy`` decides.
"""

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from ovnguard.validators.base.deadline import deadline
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.webhook.admission import responses
from ovnguard.webhook.admission.call_timeout import seconds_of
from ovnguard.webhook.admission.handlers import (
    DEFAULT_ACTORS,
    Actors,
    AdmissionHandlers,
    Answer,
    Decision,
    Judge,
    failed,
)
from ovnguard.webhook.admission.review import AdmissionRequest, BadReview, Limits, decode
from ovnguard.webhook.observability.decision_log import MAX_LOGGED, log_decision
from ovnguard.webhook.observability.metrics import NO_TELEMETRY, Telemetry

Handler: TypeAlias = Callable[[AdmissionRequest, float], Answer]
Reasons: TypeAlias = Callable[[], Sequence[str]]
"""Returns one line per objection; empty without objections."""

log = logging.getLogger("ovnguard.webhook")
_JSON: Final = "application/json"
DEFAULT_LIMITS: Final = Limits()
CLIENT_NAMES: Final = "ovnguard.client_names"
"""The WSGI variable with the names in a verified client certificate, as a tuple of strings, set by the server."""
REQUEST_READ: Final = "ovnguard.request_read"
"""The WSGI variable with a function that the application calls after it has read the whole request."""
ARRIVED: Final = "ovnguard.arrived"
"""The WSGI variable with the time at which the request arrived, on the clock of `time.monotonic`, set by the server."""
NO_CERTIFICATE: Final = "a client certificate of the registered authority is required"


def no_reasons() -> tuple[str, ...]:
    """Return no objection, for a view that is complete from the start."""
    return ()


def always() -> bool:
    """Return True, for a view that is complete from the start."""
    return True


def anywhere(_address: str) -> bool:
    """Return True, for a server that any address may call."""
    return True


@dataclass(frozen=True, slots=True)
class Options:
    """What an application needs besides the view and the judge.

    ``unready``: the reasons not to send requests to it. ``unhealthy``: the reasons to restart it. ``synced``: whether
    its view is complete; until then it judges nothing. ``clients``: None if any client may call; otherwise a verified
    certificate is required, with one of these names if any are given. ``accepts``: whether a client with this address
    may call. ``actors``: the users that act for the cluster.
    """

    limits: Limits = DEFAULT_LIMITS
    unready: Reasons = no_reasons
    unhealthy: Reasons = no_reasons
    synced: Callable[[], bool] = always
    clients: frozenset[str] | None = None
    accepts: Callable[[str], bool] = anywhere
    telemetry: Telemetry = NO_TELEMETRY
    actors: Actors = DEFAULT_ACTORS


DEFAULTS: Final = Options()


def create_app(view: ClusterView, judge: Judge, options: Options = DEFAULTS) -> Flask:
    """Create the application: POST /validate and /mutate, GET /healthz and /readyz.

    It calls ``judge`` with every request and ``view``, in the threads of the server.
    """
    app = _application()
    handlers = AdmissionHandlers(view, judge, options.synced, options.actors)
    routes = _AdmissionRoutes(options)
    answers: dict[str, Handler] = {"/validate": handlers.validate, "/mutate": handlers.mutate}
    for path, answer in answers.items():
        app.add_url_rule(path, path[1:], routes.serving(answer), methods=["POST"], provide_automatic_options=False)
    for path, reasons in (("/healthz", options.unhealthy), ("/readyz", options.unready)):
        app.add_url_rule(path, path[1:], _probe(reasons), methods=["GET"], provide_automatic_options=False)
    # An unexpected exception needs an answer too; otherwise the API server waits for its timeout.
    app.register_error_handler(Exception, routes.crashed)
    return app


def create_metrics_app(telemetry: Telemetry, *, named: bool = False) -> Flask:
    """Create the application of metrics: GET /metrics. ``named``: a verified client certificate is required."""

    def metrics() -> Response:
        if named and not request.environ.get(CLIENT_NAMES):
            return _failure(403, NO_CERTIFICATE)
        kind, text = telemetry.exposition()
        return Response(text, 200, content_type=kind)

    app = _application()
    app.add_url_rule("/metrics", "metrics", metrics, methods=["GET"], provide_automatic_options=False)
    app.register_error_handler(Exception, _metrics_crashed)
    return app


def _application() -> Flask:
    """An application without routes, which answers errors with a Status and refuses requests without Host."""
    app = Flask(__name__, static_folder=None)
    app.before_request(_refuse_no_host)
    app.register_error_handler(HTTPException, _http_error)
    return app


def _refuse_no_host() -> Response | None:
    if request.environ.get("HTTP_HOST"):
        return None
    return _failure(400, "Host: the header is required")


def _metrics_crashed(error: Exception) -> Response:
    log.error("crashed", exc_info=error, extra={"fields": {"path": request.path}})
    return _failure(500, f"ovnguard could not answer this request ({type(error).__name__})")


class _AdmissionRoutes:
    """The steps before and after the judgement, shared by both admission routes."""

    def __init__(self, options: Options) -> None:
        self._limits = options.limits
        self._telemetry = options.telemetry
        self._clients = options.clients
        self._accepts = options.accepts

    def serving(self, answer: Handler) -> Callable[[], Response]:
        """Return the Flask view of a handler: it reads and decodes the request before, and logs and counts after the
        judgement.
        """

        def serve() -> Response:
            g.started = time.perf_counter()
            arrived = request.environ.get(ARRIVED, time.monotonic())
            with self._telemetry.in_flight():
                bad = self._unauthorized() or _refusal(self._limits)
                review = bad or _decoded(self._limits)
                if isinstance(review, BadReview):
                    return self._rejected(review)
                g.review = review
                seconds = seconds_of(request.query_string.decode(errors="replace"))
                with deadline(seconds - (time.monotonic() - arrived)):
                    return self._answered(review, answer(review, seconds))

        return serve

    def crashed(self, error: Exception) -> Response:
        """Answer after an unexpected exception; the log contains the cause with the uid."""
        review: AdmissionRequest | None = g.get("review")
        uid = "" if review is None else review.uid
        log.error("crashed", exc_info=error, extra={"fields": {"path": request.path, "uid": uid[:MAX_LOGGED]}})
        text = f"ovnguard could not judge this request ({type(error).__name__}); its log has the reason"
        if review is None:
            return _failure(500, text)
        return self._answered(review, failed(review, 500, "crash", f"{text} under uid {uid}"))

    def _unauthorized(self) -> BadReview | None:
        """The reason why the client may not call, or none."""
        if not self._accepts(request.environ.get("REMOTE_ADDR", "")):
            return BadReview(403, "the address of the client is not one of an API server")
        if self._clients is None:
            return None
        names = request.environ.get(CLIENT_NAMES) or ()
        if not names:
            return BadReview(403, NO_CERTIFICATE)
        if self._clients and self._clients.isdisjoint(names):
            return BadReview(403, f"client certificate {json.dumps(names[0])} is not authorized")
        return None

    def _rejected(self, bad: BadReview) -> Response:
        log.warning("not a review", extra={"fields": {"path": request.path, "error": bad.text}})
        self._telemetry.rejected(request.path[1:], bad.status)
        return _failure(bad.status, bad.text)

    def _answered(self, review: AdmissionRequest, answer: Answer) -> Response:
        decision = Decision(request.path, review, answer, time.perf_counter() - g.started)
        log_decision(decision)
        self._telemetry.decided(decision)
        return _json(answer.status, answer.body)


def _refusal(limits: Limits) -> BadReview | None:
    """The reason why the head of the request is rejected, or none; the body of a rejected request is not read."""
    if request.mimetype != _JSON:
        return BadReview(415, f"Content-Type: {_JSON} is expected, not {json.dumps(request.mimetype)}")
    length = request.content_length
    if length is None:
        return BadReview(411, "Content-Length: the length of the body is required")
    if length > limits.body_bytes:
        return BadReview(413, f"the body has {length} bytes, at most {limits.body_bytes} are accepted")
    return None


def _decoded(limits: Limits) -> AdmissionRequest | BadReview:
    """Read and decode the body."""
    body = request.get_data(cache=False)
    request.environ.get(REQUEST_READ, _nothing)()
    if len(body) != request.content_length:
        return BadReview(400, f"the body ends after {len(body)} of {request.content_length} bytes")
    return decode(body, limits)


def _nothing() -> None:
    """Do nothing."""


def _probe(reasons: Reasons) -> Callable[[], Response]:
    def serve() -> Response:
        found = reasons()
        text = "".join(f"{reason}\n" for reason in found)
        return Response(text or "ok\n", 503 if found else 200, mimetype="text/plain")

    return serve


def _http_error(error: HTTPException) -> Response:
    response = _failure(error.code or 500, f"{request.method} {request.path}: {error.name}")
    # a 405 must name the allowed methods
    response.headers.extend([(key, value) for key, value in error.get_headers() if key == "Allow"])
    return response


def _failure(code: int, text: str) -> Response:
    return _json(code, responses.failure(code, text))


def _json(code: int, body: JsonObject) -> Response:
    return Response(json.dumps(body), code, mimetype=_JSON)
