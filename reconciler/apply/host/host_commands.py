"""Commands of a host run in few processes: `ip` by the batch, `ovs-vsctl` as one transaction."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from ovnguard.reconciler.apply.host.host_flows import write_flows
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.host.command_lines import Command
from ovnguard.reconciler.plan.host.host_diff import HostOperation

# The maximum number of commands per call, for programs that take them as arguments.
_PART: Final = 200
_FAILED: Final = re.compile(r"^Command failed -:(\d+)$")


def run_commands(shell: Shell, commands: Sequence[Command]) -> Mapping[HostOperation, str]:
    """Run commands in order and return the failures by operation; a failure does not stop the others."""
    failures: dict[HostOperation, str] = {}
    for program, group in groupby(commands, key=lambda each: each.program):
        batch = list(group)
        try:
            failed = dict(_run(shell, program, batch))
        except StoreError as error:
            failed = {each.operation: str(error) for each in batch}
        for operation, text in failed.items():
            failures.setdefault(operation, text)
    return failures


def _run(shell: Shell, program: str, batch: Sequence[Command]) -> Iterable[tuple[HostOperation, str]]:
    if program == "ovs-vsctl":
        return _switch(shell, batch)
    if program == "ovs-ofctl":
        return write_flows(shell, batch)
    if program == "sysctl":
        return _parameters(shell, batch)
    return _batch(shell, program, batch)


def _batch(shell: Shell, program: str, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    """`ip` continues after a failure and prints the number of the failed line after its error."""
    text = "".join(f"{' '.join(_quoted(word) for word in each.words)}\n" for each in batch)
    done = shell.run([*program.split(), "-force", "-batch", "-"], text)
    errors: list[str] = []
    found = False
    for line in done.err.splitlines():
        number = _FAILED.match(line.strip())
        if number is None:
            errors.append(line.strip())
            continue
        found = True
        command = batch[min(int(number[1]), len(batch)) - 1]
        yield command.operation, f"{command}: {'; '.join(errors) or 'failed'}"
        errors = []
    if done.code and not found:
        raise StoreError(f"{program}: {done.error_text}")


def _quoted(word: str) -> str:
    """A word of a batch; names of networks have no quotes in them."""
    return f'"{word}"' if " " in word else word


def _switch(shell: Shell, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    """`ovs-vsctl` applies all commands of one call, or none."""
    for part in _parts(batch):
        words = [word for each in part for word in ("--", *each.words)]
        done = shell.run(["ovs-vsctl", "--timeout=30", *words])
        if done.code:
            yield from ((each.operation, f"ovs-vsctl: {done.error_text}") for each in part)


def _parameters(shell: Shell, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    """`sysctl` sets as many values as it can; a second pass finds the failed ones individually."""
    for part in _parts(batch):
        if shell.run(["sysctl", *(word for each in part for word in each.words)]).code:
            for each in part:
                done = shell.run(["sysctl", *each.words])
                if done.code:
                    yield each.operation, f"{each}: {done.error_text}"


def _parts(batch: Sequence[Command]) -> Iterator[Sequence[Command]]:
    """Split the commands into calls of limited length."""
    return (batch[start : start + _PART] for start in range(0, len(batch), _PART))
