"""--show-mutations, and misspelt sub-commands."""

from pathlib import Path

import pytest

from tests.support.preflight_run import run

UDN = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata:
  name: net
  namespace: red
spec:
  topology: Layer2
  layer2:
    role: Primary
    subnets:
    - 100.88.0.0/15
"""


def test_what_the_webhook_would_select_is_a_diff(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.yaml").write_text(UDN)
    lines = run("net.yaml", "--show-mutations").stdout.splitlines()
    assert lines[:2] == ["--- net.yaml:1", "+++ UserDefinedNetwork red/net, after the mutating webhook"]
    assert [line for line in lines[2:] if line.startswith("+")] == [
        "+  annotations:",
        "+    ovnguard.io/transit-subnets: 100.90.0.0/16",
    ]
    assert "---" not in run("net.yaml").stdout


def test_a_name_that_the_server_makes_is_not_in_the_diff() -> None:
    text = run("-", "--show-mutations", stdin=UDN.replace("name: net", "generateName: net-")).stdout
    assert text.splitlines()[1] == "+++ UserDefinedNetwork red/net-, after the mutating webhook"
    assert "net-0" not in text


def test_a_diff_and_a_report_need_different_places(tmp_path: Path) -> None:
    result = run("-", "--show-mutations", "-o", "json", stdin=UDN)
    text = "Error: --show-mutations writes to standard output, and so does -o json: -o json=FILE\n"
    assert result == (2, "", text)
    assert run("-", "--show-mutations", "-o", f"json={tmp_path / 'x'}", stdin=UDN).return_value == 0


@pytest.mark.parametrize(("word", "meant"), [("tset", "test"), ("explian", "explain"), ("costs", "cost")])
def test_a_misspelt_sub_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, word: str, meant: str) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"Error: there is no file and no sub-command {word}; did you mean {meant}?\n"
    assert run(word, "x") == (2, "", text)
    Path(word).write_text(UDN)
    assert run(word, "-q").return_value == 0
