"""The webhook under load while certificates rotate, workers are killed, and clients are half there or send rubbish.

``make soak`` runs the long forms: rotations for two minutes, a minute of kills, 10,000 fuzzed reviews, three
waves of half-open connections.
"""

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import ssl
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ovnguard.webhook.admission.review import Limits
from ovnguard.webhook.certificates.self_signed import SelfSigned
from ovnguard.webhook.server.large_bodies import LARGE
from tests.support.soak import sized
from tests.support.webhook.webhook_load import (
    JSON,
    children,
    connected,
    honest,
    memory,
    ports_served_by,
    reviews,
)
from tests.support.webhook.webhook_process import EXAMPLES, Serving, serving
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing
VIEW = ("--manifests", EXAMPLES / "nodes", "--manifests", EXAMPLES / "valid", "--workers", "2")
ROTATION_SECONDS = 5.0
ROTATIONS = sized(4, 24)
KILLS = sized(10, 60)
FUZZED = sized(2_500, 10_000)
HALF_OPEN = 500
WAVES = sized(1, 3)
PROMPT = sized(4.0, 1.0)
"""Seconds; an API server waits five. Clients that wait for stalled ones wait until these are cut, after five."""
MEMORY = 300 * 1024 * 1024
"""Bytes of the whole service; a container has 512 MiB, of which a view of its cluster takes some."""


def test_rotations_under_load_fail_no_request(tmp_path):
    made = SelfSigned(tmp_path)
    made.ensure()
    with serving(tmp_path, *VIEW, files=made.files) as webhook, honest(webhook) as noted:
        for number in range(ROTATIONS):
            time.sleep(ROTATION_SECONDS)
            SelfSigned(tmp_path, [f"r{number}.example"]).ensure()
        time.sleep(1)
    print(f"{ROTATIONS} rotations, {noted.answered} answers, {len(noted.serials)} certificates")
    assert (noted.failed, noted.wrong) == ([], [])
    # a client meets a certificate only where it connects while that is the one
    assert len(noted.serials) > ROTATIONS // 2


def half_open(webhook: Serving, trust: ssl.SSLContext, kind: str) -> Any:
    """A client that stops half-way."""
    raw = socket.create_connection(("127.0.0.1", int(webhook.port)), timeout=20)
    if kind == "mute":
        return raw
    if kind == "handshake":
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        with contextlib.suppress(ssl.SSLWantReadError):
            trust.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
        raw.sendall(outgoing.read()[:100])
        return raw
    held = trust.wrap_socket(raw, server_hostname="localhost")
    head = b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    held.sendall(head if kind == "head" else head + b"Content-Length: 500\r\n\r\n{")
    return held


@pytest.mark.parametrize("kind", ["mute", "handshake", "head", "body"])
def test_half_open_connections_do_not_hold_up_honest_clients(tmp_path, kind):
    with serving(tmp_path, *VIEW) as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        for _ in range(WAVES):
            with contextlib.ExitStack() as held, honest(webhook) as noted:
                began = time.monotonic()
                for _ in range(HALF_OPEN):
                    held.enter_context(half_open(webhook, trust, kind))
                opened = time.monotonic() - began
                time.sleep(2)
                used = memory([webhook.process.pid, *children(webhook.process.pid)])
            answered = f"{noted.answered} answers, slowest {noted.slowest:.3f} s, {used >> 20} MiB"
            print(f"{HALF_OPEN} half-open ({kind}) in {opened:.1f} s, {answered}")
            assert (noted.failed, noted.wrong) == ([], [])
            assert noted.answered > 8
            assert noted.slowest < PROMPT
            assert used < MEMORY


def kill(webhook: Serving) -> set[int]:
    """Kill the oldest worker; return the ports of the clients that it served when it died."""
    victim = children(webhook.process.pid)[0]
    os.kill(victim, signal.SIGSTOP)
    ports = ports_served_by(victim)
    os.kill(victim, signal.SIGKILL)
    # until its master has taken note, it is still among the children
    wait_until(lambda: victim not in children(webhook.process.pid), "the killed worker is gone", 60)
    return ports


def test_killed_workers_fail_their_own_connections_only(tmp_path):
    excused: set[int] = set()
    with serving(tmp_path, *VIEW) as webhook:
        wait_until(lambda: len(children(webhook.process.pid)) == 2, "both workers run", 60)
        with honest(webhook) as noted:
            for _ in range(KILLS):
                time.sleep(1)
                excused |= kill(webhook)
                wait_until(lambda: len(children(webhook.process.pid)) == 2, "the worker is replaced", 60)
        print(f"{KILLS} kills, {noted.answered} answers, {len(noted.failed)} failed on killed workers' connections")
        assert noted.wrong == []
        assert [each for each in noted.failed if each[0] not in excused] == []
        assert noted.answered > KILLS
        # and it goes on as if nothing had been
        with honest(webhook) as after:
            time.sleep(2)
        assert (after.failed, after.wrong) == ([], [])


def test_worker_is_replaced_by_one_that_need_not_load_anything(tmp_path):
    began = time.monotonic()
    with serving(tmp_path, *VIEW[:-2]) as webhook:
        webhook.call("GET", "/readyz")
        started = time.monotonic() - began
        seconds = []
        for _ in range(5):
            kill(webhook)
            began = time.monotonic()
            assert webhook.call("GET", "/readyz") == (200, b"ok\n")
            seconds.append(time.monotonic() - began)
        print(f"a replaced worker answers after {min(seconds):.3f} s, a started one after {started:.3f} s")
        # loading schemas and rules again would take as long as the start
        assert min(seconds) < started / 2


class Asking:
    """One kept connection that is made anew when the server has closed it, as it may after a refusal."""

    def __init__(self, webhook: Serving) -> None:
        self._webhook = webhook
        self._trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        self._connection: http.client.HTTPSConnection | None = None

    def __call__(self, path: str, body: bytes) -> tuple[int, Any]:
        if self._connection is None or self._connection.sock is None:
            self._connection, _ = connected(self._webhook, self._trust)
        self._connection.request("POST", path, body, JSON)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def test_bodies_of_two_mebibytes(tmp_path):
    with serving(tmp_path, *VIEW) as webhook, contextlib.closing(Asking(webhook)) as ask:
        for review, allowed in reviews():
            obj = review["request"]["object"]
            # annotations have a bound of their own
            managed = {"manager": "m", "operation": "Apply", "fieldsV1": {"f:" + "x" * 2 * 1024 * 1024: {}}}
            metadata = obj["metadata"] | {"managedFields": [managed]}
            padded = review | {"request": review["request"] | {"object": obj | {"metadata": metadata}}}
            status, answer = ask("/validate", json.dumps(padded).encode())
            assert (status, answer["response"]["allowed"]) == (200, allowed)
        for body in (b"x" * 2 * 1024 * 1024, b"[" * 2 * 1024 * 1024, b'{"a":' * (400 * 1024), b"9" * 2 * 1024 * 1024):
            assert ask("/validate", body)[0] == 400


SCALARS = (
    None,
    True,
    False,
    0,
    -1,
    1 << 63,
    1 << 64,
    0.5,
    1e308,
    "",
    "x",
    "10.0.0.0/8",
    "fd00::/48",
    "\x00",
    "é" * 300,
)


def nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a value, as a container and a key of it."""
    found = []
    pairs = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, inner in pairs:
        found.append((value, key))
        found += nodes(inner)
    return found


def mutate(dice: random.Random, review: dict) -> bytes:
    """A real review with a few places changed, most of them inside its objects; sometimes bytes of it."""
    value = json.loads(json.dumps(review))
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        inside = value["request"].get("object") if isinstance(value.get("request"), dict) else None
        places = nodes(inside if isinstance(inside, dict) and inside and dice.random() < 0.8 else value)
        container, key = dice.choice(places)
        match dice.randrange(5):
            case 0:
                container[key] = dice.choice(SCALARS)
            case 1:
                container[key] = [container[key]] * dice.choice((0, 1, 2, 30))
            case 2:
                container[key] = {"x": container[key]}
            case 3:
                del container[key]
            case _:
                other, at = dice.choice(places)
                with contextlib.suppress(LookupError):  # taken away by the step before
                    container[key] = json.loads(json.dumps(other[at]))
        if not isinstance(value.get("request"), dict):
            break
    body = bytearray(json.dumps(value).encode())
    if dice.random() < 0.1:
        body[dice.randrange(len(body))] = dice.randrange(256)
    return bytes(body)


def fuzz(webhook: Serving, dice: random.Random, real: list[dict], count: int) -> dict[int, int]:
    """Send mutations; return how often each status was answered. What is no verdict is printed."""
    statuses: dict[int, int] = {}
    asking = [Asking(webhook) for _ in range(4)]
    for number in range(count):
        if number % 50 == 0:
            # or one worker stays cold while all connections happen to be the other's
            asking[number // 50 % 4].close()
        body = mutate(dice, dice.choice(real))
        status, answer = asking[number % 4](dice.choice(("/validate", "/validate", "/mutate")), body)
        statuses[status] = statuses.get(status, 0) + 1
        if status >= 500:
            print(status, answer, body[:3000])
    for each in asking:
        each.close()
    return statuses


def test_fuzzed_reviews_are_answered_and_cost_no_memory(tmp_path):
    dice = random.Random(20260401)
    real = [review for review, _ in reviews()]
    with serving(tmp_path, *VIEW) as webhook:
        fuzz(webhook, dice, real, FUZZED // 4)
        processes = [webhook.process.pid, *children(webhook.process.pid)]
        before = memory(processes)
        statuses = fuzz(webhook, dice, real, FUZZED)
        assert [webhook.process.pid, *children(webhook.process.pid)] == processes
        grown = memory(processes) / before - 1
        print(f"{FUZZED} fuzzed: {statuses}; {before / 2**20:.0f} MiB, grown by {grown:.1%}")
        assert statuses.keys() <= {200, 400}, (Path(tmp_path) / "log").read_text()[-3000:]
        assert min(statuses.values()) > FUZZED // 50
        assert grown < 0.1


def gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def test_killed_master_leaves_nothing_behind_after_the_next_start(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with serving(tmp_path, *VIEW) as webhook:
        wait_until(lambda: len(children(webhook.process.pid)) == 2, "both workers run", 60)
        workers = children(webhook.process.pid)
        [left] = scratch.glob("ovnguard-*")
        webhook.process.kill()
        webhook.process.wait(60)
        # they see for themselves that their master is no more
        wait_until(lambda: all(map(gone, workers)), "the workers end", 60)
        assert left.exists()
    with serving(tmp_path, *VIEW):
        assert not left.exists()
        assert len(list(scratch.glob("ovnguard-*"))) == 1
    assert list(scratch.glob("ovnguard-*")) == []


CLIENTS = 6
LARGE_REQUESTS = sized(5, 30)
FLOOD = 40


def filled(repeat: bytes, octets: int) -> bytes:
    """A whole request with a body of at most this many bytes, most of it a list of the same thing in the object."""
    review = json.loads(json.dumps(reviews()[0][0]))
    review["request"]["object"]["metadata"]["more"] = ["here"]
    body = json.dumps(review).encode()
    room = octets - len(body)
    body = body.replace(b'"here"', repeat * (room // len(repeat)) + b'"here"')
    head = "POST /validate?timeout=5s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def flood(webhook: Serving, request: bytes) -> str:
    """Send and wait for an answer; its status, or that there was none."""
    trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
    try:
        with trust.wrap_socket(
            socket.create_connection(("127.0.0.1", int(webhook.port)), 30), server_hostname="localhost"
        ) as held:
            held.sendall(request)
            return held.recv(12)[9:].decode() or "none"
    except OSError:
        return "none"


@pytest.mark.parametrize(
    "repeat",
    [
        pytest.param(b'"' + b"x" * 100_000 + b'",', id="long-texts"),
        pytest.param(b'{"abcdefghijklmnopqrstuvwxyz":1},', id="objects"),
        pytest.param(b'"abcdefghijklm",', id="short-texts"),
        pytest.param(b"[],", id="more-values-than-are-read"),
    ],
)
def test_many_of_the_largest_bodies_at_once_do_not_exhaust_memory(tmp_path, monkeypatch, repeat):
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "262144")  # as in the image
    with serving(tmp_path, *VIEW) as webhook:
        webhook.call("GET", "/readyz")
        time.sleep(1)
        processes = [webhook.process.pid, *children(webhook.process.pid)]
        before, peak = memory(processes), 0
        with ThreadPoolExecutor(FLOOD) as pool, honest(webhook, 2) as noted:
            request = filled(repeat, Limits().body_bytes)
            sent = [pool.submit(flood, webhook, request) for _ in range(FLOOD)]
            while not all(each.done() for each in sent):
                peak = max(peak, memory(processes))
                time.sleep(0.05)
        statuses = Counter(each.result() for each in sent)
        print(f"{statuses}, {before >> 20} MiB, then {peak >> 20}; slowest honest answer {noted.slowest:.3f} s")
        assert [webhook.process.pid, *children(webhook.process.pid)] == processes
        assert statuses.keys() <= {"200", "400", "503", "504", "none"}
        assert (noted.failed, noted.wrong) == ([], [])
        assert peak < MEMORY


MEDIUM_FLOOD = 151


def flood_together(webhook: Serving, trust: ssl.SSLContext, request: bytes, together: threading.Barrier) -> str:
    """Send all but the last byte, wait for the other clients, send the last byte; return the status or "none"."""
    raw = socket.create_connection(("127.0.0.1", int(webhook.port)), 30)
    with contextlib.suppress(OSError), trust.wrap_socket(raw, server_hostname="localhost") as held:
        held.sendall(request[:-1])
        with contextlib.suppress(threading.BrokenBarrierError):
            together.wait(2)  # or the server ends requests that are not complete
        held.sendall(request[-1:])
        return held.recv(12)[9:].decode() or "none"
    return "none"


# at most 50,000 values each, so that none is refused for their number
@pytest.mark.parametrize("repeat", [b"[1234],", b'{"a":[]},', b'"abcdefghijklm",'])
def test_many_medium_bodies_at_once_do_not_exhaust_memory(tmp_path, monkeypatch, repeat):
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "262144")  # as in the image
    with serving(tmp_path, *VIEW) as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        processes = [webhook.process.pid, *children(webhook.process.pid)]
        before, peak = memory(processes), 0
        request, together = filled(repeat, LARGE), threading.Barrier(MEDIUM_FLOOD)
        with ThreadPoolExecutor(MEDIUM_FLOOD) as pool, honest(webhook, 2) as noted:
            sent = [pool.submit(flood_together, webhook, trust, request, together) for _ in range(MEDIUM_FLOOD)]
            while not all(each.done() for each in sent):
                peak = max(peak, memory(processes))
                time.sleep(0.02)
        statuses = Counter(each.result() for each in sent)
        print(f"{statuses}, {before >> 20} MiB, then {peak >> 20}; slowest honest answer {noted.slowest:.3f} s")
        assert statuses.keys() <= {"200", "400", "503", "504", "none"}
        assert statuses["200"] > 0
        assert (noted.failed, noted.wrong) == ([], [])
        assert peak < MEMORY


def large_review(octets: int) -> bytes:
    """A review that is accepted, with a body of this many bytes."""
    review = json.loads(json.dumps(reviews()[0][0]))
    managed = {"manager": "m", "operation": "Apply", "fieldsV1": {"f:" + "x" * octets: {}}}
    review["request"]["object"]["metadata"]["managedFields"] = [managed]
    return json.dumps(review).encode()


def send_large(webhook: Serving, number: int) -> Counter[int]:
    """Send bodies of one to five megabytes, one after the other; count the statuses."""
    dice = random.Random(number)
    statuses: Counter[int] = Counter()
    with contextlib.closing(Asking(webhook)) as ask:
        for _ in range(LARGE_REQUESTS):
            statuses[ask("/validate", large_review(dice.randrange(1_000_000, 5_000_000)))[0]] += 1
    return statuses


def test_large_requests_take_turns_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "262144")  # as in the image
    with serving(tmp_path, *VIEW) as webhook:
        processes = [webhook.process.pid, *children(webhook.process.pid)]
        peak = 0
        with ThreadPoolExecutor(CLIENTS) as pool, honest(webhook, 2) as noted:
            sent = [pool.submit(send_large, webhook, number) for number in range(CLIENTS)]
            while not all(each.done() for each in sent):
                peak = max(peak, memory(processes))
                time.sleep(0.05)
        statuses = sum((each.result() for each in sent), Counter())
        print(f"{statuses}, at most {peak >> 20} MiB; slowest honest answer {noted.slowest:.3f} s")
        assert statuses.keys() <= {200, 503, 504}
        assert statuses[200] > statuses[503]
        assert (noted.failed, noted.wrong) == ([], [])
        assert peak < MEMORY
