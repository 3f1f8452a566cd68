"""A TCP load balancer on loopback, like a Service: it gives connections to the ready endpoints in turn.

It counts the connections that a backend ended, and those on which it owed an answer, so that a test can say what a
killed backend took with it.
"""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Self

_CHUNK = 1 << 16


class Balancer:
    """While the context lasts, connections to `port` are led to ``backends``, ports of this machine."""

    def __init__(self, backends: Sequence[int]) -> None:
        self.port = 0
        self.taken: Counter[int] = Counter()
        """Connections by backend."""
        self.ended: Counter[int] = Counter()
        """Connections that were ended by the backend, by backend."""
        self.lost: Counter[int] = Counter()
        """Those of them on which it owed an answer."""
        self._open: set[asyncio.StreamWriter] = set()
        self._backends = list(backends)
        self._turn = 0
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._up.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._open)

    def lead(self, *backends: int) -> None:
        """Lead new connections to these alone; those that there are stay, as with endpoints that are not ready."""
        self._backends = list(backends)

    def drop(self) -> None:
        """End every connection, as a restart of the balancer would."""

        def close() -> None:
            for each in list(self._open):
                each.close()

        self._loop.call_soon_threadsafe(close)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_CHUNK))
        self.port = server.sockets[0].getsockname()[1]
        self._up.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        found = await self._connected()
        if found is None:
            answer.close()
            return
        port, reader, writer = found
        self.taken[port] += 1
        self._open.add(answer)
        # Bytes that went to the backend since it last said something: a handshake or a request without its answer.
        owed = [False]
        ends = [
            asyncio.ensure_future(_relay(client, writer, owed, owes=True)),
            asyncio.ensure_future(_relay(reader, answer, owed, owes=False)),
        ]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if ends[1].done():
                self.ended[port] += 1
                self.lost[port] += owed[0]
        finally:
            self._open.discard(answer)
            for each in ends:
                each.cancel()
            for stream in (writer, answer):
                stream.close()

    async def _connected(self) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter] | None:
        """The next backend by turns that takes a connection."""
        for _ in self._backends:
            port = self._backends[self._turn % len(self._backends)]
            self._turn += 1
            with contextlib.suppress(OSError):
                return (port, *await asyncio.open_connection("localhost", port))
        return None


async def _relay(source: asyncio.StreamReader, sink: asyncio.StreamWriter, owed: list[bool], *, owes: bool) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(_CHUNK):
            owed[0] = owes
            sink.write(data)
            await sink.drain()
