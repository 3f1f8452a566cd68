"""Runs of the preflight in this process."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest import mock

import jsonschema

from tests.support.paths import ROOT
from validators.cli.preflight import preflight


class Result(NamedTuple):
    return_value: int
    stdout: str
    stderr: str


def run(*arguments: str, stdin: str | None = None) -> Result:
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()))
    with (
        mock.patch.object(sys, "stdin", given),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        code = preflight(arguments)
    return Result(code, out.getvalue(), err.getvalue())


def report(*arguments: str, stdin: str | None = None) -> tuple[int, dict]:
    result = run(*arguments, "-o", "json", stdin=stdin)
    # a busy machine is slow enough for lines of progress
    assert [line for line in result.stderr.splitlines() if not line.startswith("judged ")] == []
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs/schemas/report-v1.json").read_text()))
    return result.return_value, document
