"""Runs ovn-trace, which follows a packet through the logical flows of a zone's Southbound database, and explains the
result.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnavailableError
from ovnguard.reconciler.plan.probes.probe_packets import Probe

TIMEOUT: Final = 20.0
_INGRESS: Final = re.compile(r'^ *ingress\(dp="([^"]+)"', re.MULTILINE)
_OUTPUT: Final = re.compile(r'/\* output to "([^"]+)", type "([^"]*)" \*/')
# A flow as ovn-trace prints it: table, source line in northd, match, priority.
_FLOW: Final = re.compile(r"^ *\d+\. (\S+) \([^)]*\): (.*), priority (\d+), uuid \S+$", re.MULTILINE)
_NO_MATCH: Final = re.compile(r"^ *\d+\. (\S+): no match", re.MULTILINE)
_INSIDE: Final = frozenset(("patch", "l3gateway", "chassisredirect"))


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one probe: ``words`` describe where the packet went or stopped, ``path`` lists its datapaths."""

    probe: Probe
    reached: bool
    words: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'ok  ' if self.reached else 'FAIL'} {self.probe.title}: {self.words}"


def run_probe(probe: Probe, program: str, southbound: str) -> ProbeResult:
    """Trace ``probe`` in the database ``southbound`` with the ovn-trace at ``program``.

    Raises StoreUnavailableError when the database or its zone cannot be reached, StoreError when the program is
    missing.
    """
    argv = [program, f"--db={southbound}", "--ct=new", probe.datapath, probe.microflow]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)  # noqa: S603 - a list, no shell
    except FileNotFoundError:
        raise StoreError(f"{program}: no such program; set the path of ovn-trace with --ovn-trace") from None
    except (subprocess.TimeoutExpired, OSError) as error:
        raise StoreUnavailableError(f"{southbound}: ovn-trace: {error}") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()
        text = output[-1] if output else f"exit status {done.returncode}"
        if "unknown datapath" in text or "unknown port" in text:
            return ProbeResult(probe, False, f"northd has not processed it yet: {text}")
        raise StoreUnavailableError(f"{southbound}: {text}")
    return judge_trace(probe, done.stdout)


def judge_trace(probe: Probe, text: str) -> ProbeResult:
    """Return the result of ``probe`` from ovn-trace's output."""
    path = tuple(dict.fromkeys(_INGRESS.findall(text)))
    way = " -> ".join(path)
    exits = [port for port, kind in _OUTPUT.findall(text) if kind not in _INSIDE]
    reached = [port for port in exits if port in probe.exits]
    if reached:
        asked = "" if "No MAC binding" not in text else ", whose neighbour has to be asked for its MAC address first"
        return ProbeResult(probe, True, f"{way} -> {reached[0]}{asked}", path)
    expected = " or ".join(probe.exits) or "nothing that the plan knows of"
    if exits:
        return ProbeResult(probe, False, f"{way} -> leaves by {exits[-1]} and not by {expected}", path)
    return ProbeResult(probe, False, f"{way}: {_stop(path, text)}; expected {expected}", path)


def _stop(path: Sequence[str], text: str) -> str:
    """The place where a packet was dropped."""
    where = path[-1] if path else "no datapath"
    missing = _NO_MATCH.findall(text)
    flows = _FLOW.findall(text)
    if missing:
        return f"stops in {where}, where table {missing[-1]} has no flow for the packet"
    if not flows:
        return f"stops in {where} before its first flow"
    table, match, priority = flows[-1]
    if table == "lr_in_ip_routing" and match == "1":
        return f"stops in {where}, which has no route to the destination"
    verb = "drops it" if text.rstrip().endswith("drop;") else "lets it go nowhere"
    return f"stops in {where}, where table {table} {verb} by the flow of priority {priority} for {match}"
