"""Tests that read a process's log see its warnings, and not those about an API server that starts."""

import json
from pathlib import Path

from tests.support.deployed.process_log import complaints, messages

LINES = [
    ("info", "nodes: 429 TooManyRequests: storage is (re)initializing; next try in 0.2 s"),
    ("warning", "cannot write event X: 429 TooManyRequests: storage is (re)initializing"),
    ("info", "recorded on Node a: next try"),
    ("warning", "nb is down; next try in 0.5 s"),
    ("error", "cannot go on"),
]


def test_an_api_server_that_starts_is_no_complaint(tmp_path: Path) -> None:
    file = tmp_path / "run.log"
    file.write_text("".join(f"{json.dumps({'level': level, 'message': text})}\n" for level, text in LINES))
    assert messages(file) == [text for _, text in LINES]
    assert complaints([file], "next try") == ["nb is down; next try in 0.5 s"]
    assert complaints([file, file], "cannot") == ["cannot go on"] * 2
