"""The API server's own validation code as a child process, one for each worker of a run."""

from collections.abc import Iterator

import pytest

from tests.support.differential.peer import VARIABLE, Peer, find


@pytest.fixture(scope="session")
def peer() -> Iterator[Peer]:
    """A program that answers with the API server's verdicts; skip where it is absent."""
    program = find()
    if program is None:
        pytest.skip(f"needs apiserver-verdict: set {VARIABLE} or put it on the path")
    with Peer(program) as running:
        yield running
