"""Loading by vtysh ends with what FRR runs, not with what vtysh says about it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.frr.frr_reload import LoadDifferences, RunCommand
from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.host.host_shell import CommandResult, Shell
from ovnguard.reconciler.apply.store_errors import FrrRefusedError, StoreUnavailableError

HEAD = "frr version 10.3\n"


@dataclass(frozen=True, slots=True)
class Said(Shell):
    """A vtysh that prints each of ``results`` in turn; the last one again and again. bgpd has what all have."""

    results: list[CommandResult] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    last: list[CommandResult] = field(default_factory=list)

    def run(self, argv: Sequence[str], text: str = "") -> CommandResult:
        if argv[-1] == "show running-config bgpd":
            return self.last[-1]
        self.lines.append([*argv[1:]])
        self.last.append(self.results[0])
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


def answering(*results: CommandResult) -> Said:
    return Said(results=list(results))


def shows(text: str, code: int = 0) -> CommandResult:
    return CommandResult(code, text, "")


def test_equal_configurations_are_read_once():
    shell = answering(shows(f"{HEAD}router bgp 1\n"))
    assert not LoadDifferences(Vtysh(shell=shell))("router bgp 1\n", "")
    assert shell.lines == [["-c", "show running-config"]]


def test_a_difference_is_loaded_and_read_back():
    shell = answering(shows(HEAD), shows(""), shows(f"{HEAD}router bgp 1\n"))
    assert LoadDifferences(Vtysh(shell=shell, pathspace="n1", config_dir=Path("/c")))("router bgp 1\n", "")
    assert [line[-2] for line in shell.lines] == ["-c", "-f", "-c"]
    assert shell.lines[0][:4] == ["-N", "n1", "--config_dir", "/c"]


def test_a_difference_that_frr_keeps_without_a_complaint_is_not_loaded_again():
    shell = answering(shows(HEAD), shows(""), shows(HEAD))
    load = LoadDifferences(Vtysh(shell=shell))
    for _ in range(3):
        with pytest.raises(FrrRefusedError, match=r"^after the reload, the running configuration lacks router bgp 1$"):
            load("router bgp 1\n", "")
    assert [line[-2] for line in shell.lines] == ["-c", "-f", "-c", "-c", "-c"]


def test_a_refused_difference_is_loaded_again_and_the_complaint_shown_without_secrets():
    refused = CommandResult(2, "", "line 2: % Unknown command:  password x\nline 2: % Unknown command: password x\n")
    shell = answering(shows(HEAD), refused, shows(HEAD), shows(HEAD), refused, shows(HEAD))
    load = LoadDifferences(Vtysh(shell=shell))
    text = "the running configuration lacks router bgp 1: line 2: % Unknown command: password <hidden>"
    for _ in range(2):
        with pytest.raises(FrrRefusedError) as raised:
            load("router bgp 1\n", "")
        assert str(raised.value) == f"after the reload, {text}"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            shows("no configuration here\n"),
            "vtysh: show running-config: no configuration in its output; does bgpd run?",
        ),
        (CommandResult(1, "", "no daemons\n"), "vtysh: show running-config: no daemons"),
    ],
)
def test_output_without_a_configuration_is_an_error(result: CommandResult, text: str):
    with pytest.raises(StoreUnavailableError) as raised:
        LoadDifferences(Vtysh(shell=answering(result)))("router bgp 1\n", "")
    assert str(raised.value) == text


def test_an_operators_command_runs_only_for_a_difference():
    command = answering(shows(""))
    equal = Vtysh(shell=answering(shows(f"{HEAD}router bgp 1\n")))
    assert not RunCommand(("reload", "now"), equal, command)("router bgp 1\n", "")
    assert command.lines == []
    late = Vtysh(shell=answering(shows(HEAD), shows(f"{HEAD}router bgp 1\n")))
    assert RunCommand(("reload", "now"), late, command)("router bgp 1\n", "")
    assert command.lines == [["now"]]


def test_an_operators_command_that_changes_nothing_has_failed():
    reload = RunCommand(("true",), Vtysh(shell=answering(shows(HEAD))), answering(shows("")))
    with pytest.raises(FrrRefusedError, match=r"^after the reload, the running configuration lacks router bgp 1$"):
        reload("router bgp 1\n", "")
