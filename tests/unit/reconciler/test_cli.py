"""The reconciler's command line as a whole: help, and what a command imports."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from ovnguard.reconciler.cli import reconciler
from tests.support.paths import ROOT
from tests.support.soak import limit


@pytest.mark.parametrize("args", [["--help"], ["plan", "--help"], ["apply", "--help"], ["run", "--help"]])
def test_help_has_examples(args):
    result = CliRunner().invoke(reconciler, args)
    assert result.exit_code == 0
    assert "Examples:\n" in result.output
    assert "ovnguard-reconciler " in result.output


@limit(180)
def test_help_and_plan_import_nothing_that_only_run_needs():
    code = (
        "import sys; from click.testing import CliRunner; from ovnguard.reconciler.cli import reconciler\n"
        "result = CliRunner().invoke(reconciler, ['--help']); assert result.exit_code == 0\n"
        "heavy = {'kubernetes', 'ovs', 'celpy', 'flask', 'jsonschema'} & set(sys.modules); assert not heavy, heavy\n"
        "import ovnguard.reconciler.commands.plan\n"
        "heavy = {'kubernetes', 'ovs', 'flask'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
