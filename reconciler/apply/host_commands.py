"""Commands of a host run in few processes: `ip` by the batch, `ovs-vsctl` as one transaction."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from reconciler.apply.errors import StoreError
from reconciler.apply.host_shell import Shell
from reconciler.plan.host.commands import Command
from reconciler.plan.host.diff import HostOperation

_FAILED: Final = re.compile(r"^Command failed -:(\d+)$")


def run_commands(shell: Shell, commands: Sequence[Command]) -> Mapping[HostOperation, str]:
    """Run commands in their order and return what went wrong, by operation; others are done all the same."""
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
    if program == "sysctl":
        return _parameters(shell, batch)
    return _batch(shell, program, batch)


def _batch(shell: Shell, program: str, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    """`ip` goes on after a failure and says the number of the line that failed after its complaint."""
    done = shell.run(
        [*program.split(), "-force", "-batch", "-"], "".join(f"{' '.join(each.words)}\n" for each in batch)
    )
    said: list[str] = []
    found = False
    for line in done.err.splitlines():
        number = _FAILED.match(line.strip())
        if number is None:
            said.append(line.strip())
            continue
        found = True
        command = batch[min(int(number[1]), len(batch)) - 1]
        yield command.operation, f"{command}: {'; '.join(said) or 'failed'}"
        said = []
    if done.code and not found:
        raise StoreError(f"{program}: {done.said}")


def _switch(shell: Shell, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    words = [word for each in batch for word in ("--", *each.words)]
    done = shell.run(["ovs-vsctl", "--timeout=30", *words])
    if done.code:
        for each in batch:
            yield each.operation, f"ovs-vsctl: {done.said}"


def _parameters(shell: Shell, batch: Sequence[Command]) -> Iterator[tuple[HostOperation, str]]:
    for each in batch:
        done = shell.run(["sysctl", *each.words])
        if done.code:
            yield each.operation, f"{each}: {done.said}"
