"""Shell completion: the choices for a partial command line, and scripts for bash, zsh and fish that ask for them.

kubectl runs the executable ``kubectl_complete-ovn_preflight`` for its plugin, with the words after the plugin's name.
The answer is one choice in a line, then a line with a colon and a directive. Source: kubectl, "Extend kubectl with
plugins"; cobra, ``completions.go``.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from ovnguard.validators.cli.outputs import FORMATS
from ovnguard.validators.commandline.program import finish

PROGRAM: Final = "kubectl_complete-ovn_preflight"
SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = 0
_NO_FILES: Final = 4
_COMMANDS: Final = ("completion", "cost", "evolve", "explain", "plan", "test")

_SCRIPTS: Final = {
    "bash": f"""\
_ovn_preflight() {{
    local IFS=$'\\n'
    local choices="$({PROGRAM} "${{COMP_WORDS[@]:1:COMP_CWORD}}" | grep -v '^:')"
    COMPREPLY=($(compgen -W "$choices" -- "${{COMP_WORDS[COMP_CWORD]}}"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o filenames -F _ovn_preflight kubectl-ovn_preflight
""",
    "zsh": f"""\
#compdef kubectl-ovn_preflight
_ovn_preflight() {{
    local -a choices
    choices=(${{(f)"$({PROGRAM} "${{(@)words[2,CURRENT]}}" | grep -v '^:')"}})
    compadd -a choices
    (( ${{#choices}} )) || _files
}}
compdef _ovn_preflight kubectl-ovn_preflight
""",
    "fish": f"""\
function __ovn_preflight
    {PROGRAM} (commandline -opc)[2..] (commandline -ct) | string match -v ':*'
end
complete -c kubectl-ovn_preflight -a '(__ovn_preflight)'
""",
}


class Choices(NamedTuple):
    """The words that may complete the last one, and whether files may as well."""

    words: tuple[str, ...]
    files: bool = True


def choices_for(words: Sequence[str]) -> Choices:
    """Return the choices for the last of ``words``, which may be empty."""
    current = words[-1] if words else ""
    command = words[0] if len(words) > 1 and words[0] in _COMMANDS else ""
    if command == "completion":
        return _matching(SHELLS, current, files=False)
    if command == "plan":
        # the options are another program's
        return Choices(())
    before = words[-2] if len(words) > 1 else ""
    if find := _FREE_VALUES.get(before):
        # several values are separated by commas
        listed, comma, _ = current.rpartition(",")
        return _matching([f"{listed}{comma}{value}" for value in find()], current, files=False)
    options = _options(command)
    if values := options.get(before, ()):
        return _matching(values, current, files=False)
    if current.startswith("-"):
        return _matching(sorted(options), current, files=False)
    if command == "explain":
        return _matching([*_rule_ids(), *_kinds()], current, files=False)
    return _matching(_COMMANDS if len(words) <= 1 else (), current, files=True)


def _rule_ids() -> list[str]:
    from ovnguard.validators.cli.explain.explanations import explanations  # loads every rule

    return [each.id for each in explanations()]


def _kinds() -> list[str]:
    return sorted({kind for _, _, kind in crd_schemas.kinds()})


def _gates() -> list[str]:
    return [f"{gate}={state}" for gate in gating.known_gates() for state in ("true", "false")]


def _versions() -> list[str]:
    return [f"1.{minor}" for minor in range(OLDEST_MINOR, NEWEST_MINOR + 1)]


_FREE_VALUES: Final[Mapping[str, Callable[[], Sequence[str]]]] = {
    "--ignore": _rule_ids,
    "--skip": _kinds,
    "--kubernetes-version": _versions,
    "--feature-set": gating.feature_sets,
    "--feature-gates": _gates,
}
"""The values of options that the parser does not list."""


def _matching(words: Sequence[str], current: str, *, files: bool) -> Choices:
    return Choices(tuple(word for word in words if word.startswith(current)), files)


def _options(command: str) -> dict[str, tuple[str, ...]]:
    """The options of a sub-command, or of the preflight itself, each with its values if there is a list of them."""
    if not command:
        from ovnguard.validators.cli.preflight_options import parser  # one command in one run

        return parser().known | dict.fromkeys(("-o", "--output"), FORMATS)
    import click

    from ovnguard.validators.cli.cost_command import cost
    from ovnguard.validators.cli.evolve_command import evolve_command
    from ovnguard.validators.cli.explain.explain_command import explain
    from ovnguard.validators.cli.suite_command import test

    chosen = {"cost": cost, "evolve": evolve_command, "explain": explain, "test": test}[command]
    return {
        name: tuple(each.type.choices) if isinstance(each.type, click.Choice) else ()
        for each in chosen.params
        if isinstance(each, click.Option)
        for name in each.opts
    }


def script(shell: str) -> str:
    """Return the script of one of `SHELLS`."""
    return _SCRIPTS[shell]


def main() -> NoReturn:
    """Print the choices and end the process."""
    finish(answer, PROGRAM)


def answer() -> None:
    """Print the choices for the words of the process, or the version if the only word is ``--version``.

    Shells that complete this word drop the line, because it does not begin with it.
    """
    if sys.argv[1:] == ["--version"]:
        from importlib.metadata import version  # costs 20 ms

        sys.stdout.write(f"{PROGRAM}, version {version('ovnguard')}\n")
        return
    found = choices_for(sys.argv[1:])
    sys.stdout.write("".join(f"{word}\n" for word in found.words))
    sys.stdout.write(f":{_FILES if found.files else _NO_FILES}\n")
