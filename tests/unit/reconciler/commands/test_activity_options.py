"""The options of dynamic allocation."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ovnguard.reconciler.commands.activity_options import ActivityOptions, with_activity
from tests.support.reconciler_cli import run


def options(*args: str) -> ActivityOptions:
    got: list[ActivityOptions] = []

    @click.command()
    @with_activity
    def command(activity: ActivityOptions) -> int:
        got.append(activity)
        return 0

    done = CliRunner().invoke(command, args)
    assert done.exit_code == 0, done.output
    return got[0]


@pytest.mark.parametrize(
    ("args", "dynamic", "grace"),
    [
        ((), False, 120.0),
        (("--enable-dynamic-udn-allocation",), True, 120.0),
        (("--dynamic-udn-allocation", "--udn-deletion-grace-period", "0"), True, 0.0),
        (("--udn-deletion-grace-period=1m30s",), False, 90.0),
        (("--udn-deletion-grace-period=1500ms",), False, 1.5),
    ],
)
def test_both_spellings_and_durations_of_go(args: tuple[str, ...], dynamic: bool, grace: float):
    assert options(*args) == ActivityOptions(dynamic, grace)


@pytest.mark.parametrize("command", [("run", "--node", "n", "--store", "s")], ids=["run"])
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("120", "'120' is not a duration such as 120s or 1m30s"),
        ("", "'' is not a duration such as 120s or 1m30s"),
        ("-1s", "'-1s' must not be negative"),
    ],
)
def test_wrong_durations(command: tuple[str, ...], text: str, wrong: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*command, f"--udn-deletion-grace-period={text}")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"Invalid value for '--udn-deletion-grace-period': {wrong}"
