"""What ovn-trace prints, in words."""

import pytest

from ovnguard.reconciler.apply.ovn.ovn_trace import judge_trace, run_probe
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.probes.probe_packets import Probe

PROBE = Probe("n", "a to b", "sw", "flow", ("b",))


def trace(*lines: str) -> str:
    return "\n".join(['ingress(dp="sw", inport="a")', "----", *lines, ""])


OUT = '    /* output to "{}", type "{}" */'
FLOW = " 3. {} (northd.c:1): {}, priority {}, uuid 0011aabb"


@pytest.mark.parametrize(
    ("text", "reached", "words"),
    [
        (trace(OUT.format("b", "")), True, "sw -> b"),
        (
            trace('ingress(dp="r", inport="x")', "    /* No MAC binding. */", OUT.format("b", "remote")),
            True,
            "sw -> r -> b, whose neighbour has to be asked for its MAC address first",
        ),
        (trace(OUT.format("c", "localnet")), False, "sw -> leaves by c and not by b"),
        (
            trace(
                OUT.format("p", "patch"),
                'ingress(dp="r", inport="p")',
                FLOW.format("lr_in_policy", "ip4", 7),
                "    drop;",
            ),
            False,
            "sw -> r: stops in r, where table lr_in_policy drops it by the flow of priority 7 for ip4; expected b",
        ),
        (
            trace(FLOW.format("lr_in_ip_routing", "1", 0), "    drop;"),
            False,
            "sw: stops in sw, which has no route to the destination; expected b",
        ),
        (
            trace(FLOW.format("ls_in_l2_lkup", "1", 0), "    output;"),
            False,
            "sw: stops in sw, where table ls_in_l2_lkup lets it go nowhere by the flow of priority 0 for 1; expected b",
        ),
        (
            trace(" 4. ls_in_x: no match (implicit drop)"),
            False,
            "sw: stops in sw, where table ls_in_x has no flow for the packet; expected b",
        ),
        (trace(), False, "sw: stops in sw before its first flow; expected b"),
    ],
)
def test_findings(text, reached, words):
    finding = judge_trace(PROBE, text)
    assert (finding.reached, finding.words) == (reached, words)
    assert str(finding) == f"{'ok  ' if reached else 'FAIL'} a to b: {words}"


def test_a_program_that_is_not_there():
    with pytest.raises(StoreError) as raised:
        run_probe(PROBE, "/nonexistent/trace", "unix:/x")
    assert str(raised.value) == "/nonexistent/trace: no such program; set the path of ovn-trace with --ovn-trace"
