"""The HTTP application: five routes around the one judgement. Any WSGI server can carry it.

A call goes through these steps, and each can end it: method (405), client (403), content type (415), length (411, 413),
codec (400), judgement, answer. A judgement is answered by an AdmissionReview with the uid of its request; where there
is none (500, 503, 504) the uid stands in the details of the error, and the registration's ``failurePolicy`` decides.
"""

import json
import logging
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, TypeAlias

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from validators.base.json_types import JsonObject
from validators.network.cluster_view import ClusterView
from webhook.admission import responses
from webhook.admission.deadline import seconds_for
from webhook.admission.handlers import Decision, Door, Judge, Outcome, failed
from webhook.admission.review import AdmissionRequest, BadReview, Limits, decode
from webhook.observability.decision_log import MAX_LOGGED, log_decisions
from webhook.observability.telemetry import NO_TELEMETRY, Telemetry
from webhook.server.express import Express

Handler: TypeAlias = Callable[[AdmissionRequest, float], Outcome]

log = logging.getLogger("ovnguard.webhook")
_JSON: Final = "application/json"
DEFAULT_LIMITS: Final = Limits()
CLIENT_NAMES: Final = "ovnguard.client_names"
"""Where a server puts the names of a verified client certificate into the WSGI environment, as a tuple of texts."""
EXPRESS: Final = "ovnguard.express"
"""Where an application keeps its `Express` among its extensions, for a server that can use it."""
_TIMEOUT: Final = re.compile(rb"(?:^|&)timeout=([0-9a-z.]{1,64})(?=&|$)")


def always() -> bool:
    """The readiness and the health of a view that is complete from the start."""
    return True


@dataclass(frozen=True, slots=True)
class Options:
    """What an application asks, or is told, besides the view and the judge.

    ``ready``: whether requests may be sent to it. ``healthy``: whether it will go on seeing its cluster. ``synced``:
    whether its view is complete, without which nothing is judged. ``clients``: None where anybody may ask; else a
    verified certificate is needed, with one of these names if there are any. ``threads``: judgements at a time.
    """

    limits: Limits = DEFAULT_LIMITS
    ready: Callable[[], bool] = always
    healthy: Callable[[], bool] = always
    synced: Callable[[], bool] = always
    clients: frozenset[str] | None = None
    telemetry: Telemetry = NO_TELEMETRY
    threads: int = 16


DEFAULTS: Final = Options()


def create_app(view: ClusterView, judge: Judge, options: Options = DEFAULTS) -> Flask:
    """Make the application: POST /validate and /mutate, GET /healthz, /readyz and /metrics, nothing else.

    ``judge`` is called with every request and ``view``, in threads of the application.
    """
    app = Flask(__name__, static_folder=None)
    door = Door(view, judge, options.synced, options.threads)
    front = _Front(options)
    answers: dict[str, Handler] = {"/validate": door.validate, "/mutate": door.mutate}
    if options.clients is None:
        rounds = _Rounds(front, answers, door.proven)
        app.extensions[EXPRESS] = Express(rounds.answer, rounds.tell)
    for path, answer in answers.items():
        app.add_url_rule(path, path[1:], front.opened(answer), methods=["POST"], provide_automatic_options=False)
    for path, check in (("/healthz", options.healthy), ("/readyz", options.ready)):
        app.add_url_rule(path, path[1:], _probe(check), methods=["GET"], provide_automatic_options=False)
    app.add_url_rule("/metrics", "metrics", front.metrics, methods=["GET"], provide_automatic_options=False)
    app.register_error_handler(HTTPException, _http_error)
    # The one net under everything: what no step foresaw is answered too, or the API server waits for its timeout.
    app.register_error_handler(Exception, front.crashed)
    return app


class _Front:
    """What both admission routes share: whatever comes before the judgement, and after it."""

    def __init__(self, options: Options) -> None:
        self.limits = options.limits
        self.telemetry = options.telemetry
        self._clients = options.clients

    def opened(self, answer: Handler) -> Callable[[], Response]:
        """Wrap ``answer`` into a Flask view: read and decode before it, count and log after it."""

        def serve() -> Response:
            g.started = time.perf_counter()
            with self.telemetry.in_flight():
                bad = self._stranger() or _refusal(self.limits)
                review = bad or decode(request.get_data(cache=False), self.limits)
                if isinstance(review, BadReview):
                    return self._rejected(review)
                g.review = review
                return self._answered(review, answer(review, _seconds(request.query_string)))

        return serve

    def metrics(self) -> Response:
        """Serve what was counted, in Prometheus' text format."""
        kind, text = self.telemetry.exposition()
        return Response(text, 200, content_type=kind)

    def crashed(self, error: Exception) -> Response:
        """Answer for a step that failed unforeseen; the cause is in the log, found by the uid."""
        review: AdmissionRequest | None = g.get("review")
        if review is None:
            log.error("crashed", exc_info=error, extra={"fields": {"path": request.path, "uid": ""}})
            return _failure(500, _crash_text(error))
        return self._answered(review, self.crash(request.path, review, error))

    def crash(self, path: str, review: AdmissionRequest, error: Exception) -> Outcome:
        """Return what is answered for a judgement that failed unforeseen."""
        log.error("crashed", exc_info=error, extra={"fields": {"path": path, "uid": review.uid[:MAX_LOGGED]}})
        return failed(review, 500, "crash", f"{_crash_text(error)} under uid {review.uid}")

    def _stranger(self) -> BadReview | None:
        """Why the client may not ask, if it may not."""
        if self._clients is None:
            return None
        names = request.environ.get(CLIENT_NAMES) or ()
        if not names:
            return BadReview(403, "a client certificate of the registered authority is required")
        if self._clients and self._clients.isdisjoint(names):
            return BadReview(403, f"the client certificate of {json.dumps(names[0])} is none of those that may ask")
        return None

    def _rejected(self, bad: BadReview) -> Response:
        log.warning("not a review", extra={"fields": {"path": request.path, "error": bad.text}})
        self.telemetry.rejected(request.path[1:], bad.status)
        return _failure(bad.status, bad.text)

    def _answered(self, review: AdmissionRequest, outcome: Outcome) -> Response:
        self._tell(request.path, review, outcome, g.started)
        return _json(outcome.status, outcome.body)

    def _tell(self, path: str, review: AdmissionRequest, outcome: Outcome, started: float) -> None:
        decisions = [Decision(path, review, outcome, time.perf_counter() - started)]
        log_decisions(decisions)
        self.telemetry.decided(decisions)


class _Rounds:
    """What `Express` calls: the same steps for calls whose heads are known to be right. Not for several threads.

    What log and metrics are told of them waits until the whole round is judged, which takes half the time.
    """

    def __init__(self, front: _Front, answers: dict[str, Handler], proven: Callable[[AdmissionRequest], bool]) -> None:
        self._front = front
        self._answers = answers
        self._proven = proven
        self._decisions: list[Decision] = []
        self._under_way = ExitStack()

    def answer(self, path: str, query: bytes, body: bytes) -> tuple[int, bytes] | None:
        """Judge one call; None where the application has to."""
        started = time.perf_counter()
        review = decode(body, self._front.limits)
        if isinstance(review, BadReview) or not self._proven(review):
            return None
        if not self._decisions:
            self._under_way.enter_context(self._front.telemetry.in_flight())
        try:
            outcome = self._answers[path](review, _seconds(query))
        except Exception as error:  # noqa: BLE001 - the same net that the routes have
            outcome = self._front.crash(path, review, error)
        answer = json.dumps(outcome.body).encode()
        self._decisions.append(Decision(path, review, outcome, time.perf_counter() - started))
        return outcome.status, answer

    def tell(self) -> None:
        """End a round, before its answers are sent."""
        if self._decisions:
            decisions, self._decisions = self._decisions, []
            log_decisions(decisions)
            self._front.telemetry.decided(decisions)
            self._under_way.close()


def _crash_text(error: Exception) -> str:
    return f"ovnguard could not judge this request ({type(error).__name__}); its log says why"


def _seconds(query: bytes) -> float:
    """How long a judgement may take, from the query. An API server sends nothing else there, so nothing is decoded."""
    found = _TIMEOUT.search(query)
    return seconds_for(found[1].decode() if found else None)


def _refusal(limits: Limits) -> BadReview | None:
    """What can be said before the body is read."""
    # the plain text first: taking it apart costs more than all the rest of this
    if request.content_type != _JSON and request.mimetype != _JSON:  # noqa: PLR1714 - the second is only made if needed
        return BadReview(415, f"Content-Type: {_JSON} is expected, not {json.dumps(request.mimetype)}")
    length = request.content_length
    if length is None:
        return BadReview(411, "Content-Length: the length of the body is required")
    if length > limits.body_bytes:
        return BadReview(413, f"the body has {length} bytes, at most {limits.body_bytes} are accepted")
    return None


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


def _failure(code: int, text: str) -> Response:
    return _json(code, responses.failure(code, text))


def _json(code: int, body: JsonObject) -> Response:
    return Response(json.dumps(body), code, mimetype=_JSON)
