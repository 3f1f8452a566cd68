"""Large requests are judged one after the other, in the order of their arrival. No sockets.

Taken apart, a request takes many times the memory of its bytes, and the bytes of those that wait have to be kept. So a
worker judges one large request at a time, however many threads it has; small ones are not held up by it.
"""

from dataclasses import dataclass
from typing import Any, Final

LARGE: Final = 128 * 1024
"""Bytes above which a request waits for its turn. A network has a few thousand, a large Node half as many as this."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A whole request, and until when somebody waits for its answer."""

    request: bytes
    deadline: float


class Turns:
    """Requests by their connection, oldest first; one at most is under way."""

    def __init__(self) -> None:
        self._waiting: dict[Any, _Waiting] = {}
        self._under_way: Any = None

    def __contains__(self, conn: object) -> bool:
        return conn in self._waiting

    @property
    def octets(self) -> int:
        """How many bytes are kept for those that wait."""
        return sum(len(each.request) for each in self._waiting.values())

    def join(self, conn: Any, request: bytes, deadline: float) -> None:
        """Wait behind all others."""
        self._waiting[conn] = _Waiting(request, deadline)

    def begin(self) -> tuple[Any, bytes] | None:
        """Return whose turn it is, with its request; None while another is under way, or none waits."""
        if self._under_way is not None or not self._waiting:
            return None
        self._under_way = next(iter(self._waiting))
        return self._under_way, self._waiting.pop(self._under_way).request

    def end(self, conn: Any) -> None:
        """A request is answered, a large one or not."""
        if conn is self._under_way:
            self._under_way = None

    def overdue(self, now: float) -> list[Any]:
        """Return those for whose answers nobody waits any more; they wait no longer."""
        late = [conn for conn, each in self._waiting.items() if now >= each.deadline]
        for conn in late:
            del self._waiting[conn]
        return late

    def oldest(self) -> Any:
        """Return who has waited longest, and waits no longer; None where nobody waits."""
        conn = next(iter(self._waiting), None)
        self._waiting.pop(conn, None)
        return conn
