"""The API server's code for policies or definitions as a child process: one JSON question a line, one answer a line."""

import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.testbed.parts import Part


class LinePeer:
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
def line_peer(program: Part | Path) -> Iterator[LinePeer]:
    """A program, or the part of the test bed with its name, while the context lasts; LookupError if it is missing."""
    path = program if isinstance(program, Path) else program.tool(program.name)
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield LinePeer(child)
