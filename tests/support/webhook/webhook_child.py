"""A webhook process whose judge obeys the object: ``python -m tests.support.webhook.webhook_child FOLDER``."""

import socket
import sys
import time
from pathlib import Path

from flask import Flask

from ovnguard.validators.admission import Judgement, Request
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView
from ovnguard.webhook.admission.review import Limits
from ovnguard.webhook.app import Options, create_app
from ovnguard.webhook.certificates.self_signed import SelfSigned
from ovnguard.webhook.server.gunicorn_app import Server, ServerSettings
from ovnguard.webhook.server.tls_context import ContextCache
from tests.support import admission_reviews

LIMITS = Limits(body_bytes=64 * 1024)
CONNECTIONS = 100
READ_SECONDS = 3.0


def judge(request: Request, view: ClusterView) -> Judgement:
    if request.object is not None:
        time.sleep(request.object["spec"].get("sleep", 0))
    return admission_reviews.judge(request, view)


def main() -> None:
    made = SelfSigned(Path(sys.argv[1]))
    made.ensure()
    listener = socket.create_server(("127.0.0.1", 0))
    settings = ServerSettings(listener, connections=CONNECTIONS, read_seconds=READ_SECONDS)

    def make() -> Flask:
        return create_app(EmptyView(), judge, Options(LIMITS))

    Server(make, ContextCache(made.files), made.files, settings).run()


if __name__ == "__main__":
    main()
