"""The wire: framing, echoes, silence, nonsense. What the database itself does is tested on a real one."""

import contextlib
import json
import socket
import threading
import time
from typing import Any

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.store_errors import (
    NetworksRefusedError,
    SchemaTooOldError,
    StoreUnavailableError,
    TransactionRacedError,
    TransactionRefusedError,
)
from ovnguard.reconciler.plan.rows.northbound import PLANNED, new_row
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, Operation

pytestmark = pytest.mark.timing

PORT = new_row("Logical_Switch_Port", {"name": "p"})
INSERT = Operation("insert", PORT.table, PORT.uuid, PORT.columns)


def schema(version: str = "7.11.0"):
    tables = {table: {"columns": {name: {"type": "string"} for name in planned}} for table, planned in PLANNED.items()}
    return {"name": "OVN_Northbound", "version": version, "tables": tables}


class Server:
    """Answers one connection after the other with `answer(request) -> bytes`, one byte string per send."""

    def __init__(self, path, answer) -> None:
        self.remote = f"unix:{path}"
        self.heard: list[dict[str, Any]] = []
        self._answer = answer
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with connection:
                    self._talk(connection)

    def _talk(self, connection) -> None:
        text = ""
        while data := connection.recv(1 << 16):
            text += data.decode()
            while text:
                try:
                    request, end = json.JSONDecoder().raw_decode(text)
                except ValueError:
                    break
                text = text[end:]
                self.heard.append(request)
                if "method" not in request:
                    continue
                for piece in self._answer(request):
                    if piece is None:
                        return
                    connection.sendall(piece)
                    time.sleep(0.001)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # accept() returns, so that the thread ends
        self._socket.close()


@pytest.fixture
def serve(tmp_path):
    servers: list[Server] = []

    def start(answer) -> Server:
        servers.append(Server(tmp_path / f"nb{len(servers)}.sock", answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def connect():
    with contextlib.ExitStack() as stack:

        def start(remote: str, timeout: float = 60.0, **options) -> NorthboundStore:
            return stack.enter_context(contextlib.closing(NorthboundStore(remote, timeout, **options)))

        yield start


def reply(request, result) -> bytes:
    return json.dumps({"id": request["id"], "result": result, "error": None}, ensure_ascii=False).encode()


def empty_database(request):
    if request["method"] == "get_schema":
        return [reply(request, schema())]
    return [reply(request, [{"rows": []} if step["op"] == "select" else {} for step in request["params"][1:]])]


def test_answers_in_pieces_split_inside_characters(serve, connect):
    def answer(request):
        (whole,) = empty_database(request)
        whole = whole[:-1] + ', "x": "é{}}"}'.encode()
        return [whole[i : i + 997] for i in range(0, len(whole), 997)]

    assert connect(serve(answer).remote).read() == ()


def test_echo_is_answered_and_stray_messages_are_passed_over(serve, connect):
    def answer(request):
        echo = b'{"id":"echo","method":"echo","params":["still there?"]}'
        stray = b'{"id":99,"result":[],"error":null}{"method":"update","params":[],"id":null}'
        return [echo + stray + empty_database(request)[0]]

    server = serve(answer)
    assert connect(server.remote).read() == ()
    assert {"id": "echo", "result": ["still there?"], "error": None} in server.heard


@pytest.mark.parametrize(
    ("pieces", "limit", "text"),
    [
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], 60.0, "this is not an OVSDB server"),
        ([None], 60.0, "the server closed the connection"),
        ([b'{"id":1,"resu', None], 60.0, "the server closed the connection"),
        ([], 0.2, "no answer within the time limit"),
        ([b'{"id":1,"result":}'], 0.2, "no answer within the time limit"),
    ],
    ids=["http", "closed", "half", "silence", "broken"],
)
def test_servers_that_do_not_answer(serve, connect, pieces, limit, text):
    server = serve(lambda _: pieces)
    with pytest.raises(StoreUnavailableError) as raised:
        connect(server.remote, limit).read()
    assert str(raised.value) == f"{server.remote}: {text}"


def test_nobody_listens(connect, tmp_path):
    remote = f"unix:{tmp_path / 'nothing.sock'}"
    with pytest.raises(StoreUnavailableError) as raised:
        connect(remote, 0.2).read()
    assert str(raised.value) == f"{remote}: No such file or directory"


def test_a_call_ends_early_when_the_process_is_to_stop(serve, connect):
    server = serve(lambda _: [])
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError, match=r"cancelled, because the process is stopping$"):
        connect(server.remote, 60.0, cancelled=lambda: True).read()
    assert time.monotonic() - began < 30


def test_it_connects_again_after_a_failure(serve, connect):
    fail = [True]

    def answer(request):
        return [None] if fail.pop() else empty_database(request)

    store = connect(serve(answer).remote)
    with pytest.raises(StoreUnavailableError):
        store.read()
    fail[:] = [False] * 10
    assert store.read() == ()


def test_a_connection_that_the_server_gave_up_meanwhile_is_no_failure(serve, connect):
    talks = []

    def answer(request):
        talks.append(request["method"])
        return [*empty_database(request), None] if request["method"] == "transact" else empty_database(request)

    store = connect(serve(answer).remote)
    for _ in range(3):
        assert store.read() == ()
    assert talks == ["get_schema", "transact"] * 3


def test_an_old_schema_is_named(serve, connect):
    server = serve(lambda request: [reply(request, schema("6.1.0"))])
    with pytest.raises(SchemaTooOldError, match=r"schema 6\.1\.0 knows no transit routers; OVN 25\.03"):
        connect(server.remote).read()


ERRORS = [
    (
        "timed out",
        '"where" clause test failed',
        TransactionRacedError,
        "rows changed while they were planned (timed out)",
    ),
    ("duplicate uuid", "", TransactionRacedError, "rows changed while they were planned (duplicate uuid)"),
    ("constraint violation", "no", TransactionRefusedError, "constraint violation: no"),
    ("resources exhausted", "", TransactionRefusedError, "resources exhausted"),
    (
        "syntax error",
        "Parsing ovsdb operation 1 of 1 failed: Member 'uuid' is present but not allowed here.",
        SchemaTooOldError,
        "the server cannot insert rows with UUIDs chosen by the client; Open vSwitch 2.13 or newer is needed",
    ),
]


@pytest.mark.parametrize(("kind", "details", "exception", "text"), ERRORS, ids=[each[0] for each in ERRORS])
@pytest.mark.parametrize("at_commit", [False, True], ids=["in an operation", "at commit"])
def test_every_element_of_the_result_is_checked(serve, connect, kind, details, exception, text, at_commit):
    def answer(request):
        if request["method"] != "transact" or request["params"][1]["op"] == "select":
            return empty_database(request)
        error = {"error": kind, "details": details}
        return [reply(request, [{}, error] if at_commit else [error])]

    server = serve(answer)
    with pytest.raises(exception) as raised:
        connect(server.remote).apply([INSERT])
    assert str(raised.value) == f"{server.remote}: {text}"


def test_what_is_refused_together_is_written_network_by_network(serve, connect):
    def answer(request):
        if request["method"] != "transact" or request["params"][1]["op"] == "select":
            return empty_database(request)
        if "bad" in json.dumps(request["params"]):
            return [reply(request, [{"error": "constraint violation", "details": "no"}])]
        return empty_database(request)

    server = serve(answer)
    rows = [new_row("Logical_Switch_Port", {"name": name, "external_ids": {NETWORK_KEY: name}}) for name in NETWORKS]
    with pytest.raises(NetworksRefusedError) as raised:
        connect(server.remote).apply([Operation("insert", row.table, row.uuid, row.columns) for row in rows])
    assert str(raised.value) == f"{server.remote}: network bad: constraint violation: no"
    assert raised.value.refused == {"bad": "constraint violation: no"}
    tried = [[step["row"]["name"] for step in each["params"] if step_is(step, "insert")] for each in server.heard]
    assert [names for names in tried if names] == [["a", "bad", "c"], ["a"], ["bad"], ["c"]]


NETWORKS = ("a", "bad", "c")


def step_is(step: Any, op: str) -> bool:
    return isinstance(step, dict) and step.get("op") == op


def test_the_answer_of_a_deposed_leader_is_not_taken_for_success(serve, connect):
    row = {"name": "OVN_Northbound", "model": "clustered", "connected": True, "leader": True}

    def answer(request):
        if request["method"] == "monitor_cond":
            return [reply(request, {"Database": {"1": {"initial": row}}})]
        if request["method"] == "lock":
            return [reply(request, {"locked": True})]
        if request["method"] == "transact" and request["params"][1]["op"] == "assert":
            # the notice of another leader arrives before the answer
            params = ["server", {"Database": {"1": {"modify": {"leader": False}}}}]
            notice = json.dumps({"id": None, "method": "update2", "params": params}).encode()
            return [notice, *empty_database(request)]
        return empty_database(request)

    server = serve(answer)
    with pytest.raises(StoreUnavailableError) as raised:
        connect(server.remote, exclusive=True).apply([INSERT])
    assert str(raised.value) == f"{server.remote}: is no longer the leader of its cluster"


@pytest.mark.parametrize(
    ("remote", "text"),
    [
        ("", "'' is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed"),
        ("http://x", "'http://x' is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed"),
        ("unix:", "'unix:' is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed"),
        ("ssl:1.2.3.4:6641", "'ssl:1.2.3.4:6641' needs a private key, a certificate and a CA certificate"),
    ],
)
def test_an_invalid_remote_is_refused(remote, text):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole text is compared
        NorthboundStore(remote)
    assert str(raised.value) == text
