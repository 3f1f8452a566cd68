"""The API server's own evaluation of policies as a child process: one JSON question a line, one JSON answer a line."""

import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from tests.testbed.parts import Part


class PolicyPeer:
    """A running program."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """One question, one answer. Raises RuntimeError if the program cannot answer it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(question) + "\n")
        self._child.stdin.flush()
        answer: dict[str, Any] = json.loads(self._child.stdout.readline() or '{"error": "the program ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


@contextlib.contextmanager
def policy_peer(part: Part) -> Iterator[PolicyPeer]:
    """The program while the context lasts; LookupError where the test bed lacks it."""
    program = part.tool("policy-verdict")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield PolicyPeer(child)
