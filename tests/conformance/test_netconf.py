"""Configurations of attachments are read as OVN-Kubernetes reads them, and refused where it refuses them.

docs/netconf.md lists the reasons for every difference that this file knows.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.go.json_syntax import Members, json_of
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.validators.network.declared.netconf import read_netconf

Answer = dict[str, Any]
OUR_TYPE: Final = re.compile(r'"type"\s*:\s*"ovn-k8s-cni-overlay"', re.IGNORECASE)
NOT_OURS: Final = "net-attach-def not managed by OVN"
# OVN-Kubernetes adds its default MTU and empty values of some keys to the values of the text.
SHOWN_EMPTY: Final[Mapping[str, object]] = {
    "mtu": 1400,
    "ipam": {},
    "dns": {},
    "runtimeConfig": {},
    "logfile-maxsize": 0,
    "logfile-maxbackups": 0,
    "logfile-maxage": 0,
}
# What accepted configurations are refused for: values that would be refused, or lost, with other settings of ovnkube.
REFUSED_NEVERTHELESS: Final = frozenset(
    {
        "cni-config-repeated-key",
        "cni-config-value",
        "cni-config-conflict",
        "cni-config-transport",
        "subnet-unreadable",
        "subnet-host-bits",
        "address-unreadable",
        "number-out-of-range",
        "transit-subnets-unreadable",
    }
)
# Texts about subnets are ours: they name the key, not the function that could not read it.
IN_OTHER_WORDS: Final = (
    "invalid subnet configuration: error while parsing subnets: ",
    "failed to set dynamic transit subnet for layer2 primary NAD ",
    "invalid localnet netconf ",
)


def answers(shared: Path) -> list[Answer]:
    lines = (shared / "conformance" / "netconf" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judged(answer: Answer) -> Judgement:
    attachment = {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": answer["name"], "namespace": answer["namespace"]},
        "spec": {"config": answer["config"]},
    }
    return judge(Request(Operation.CREATE, attachment), EmptyView())


def values(config: str) -> dict[str, Any]:
    """What is read, in the form of the answers."""
    found = read_netconf(config)
    assert found is not None
    read = {**SHOWN_EMPTY, **found.plugin, "name": found.name}
    if "prevResult" in read:
        read["prevResult"] = json.loads(json_of(Members(read["prevResult"].items())))
    if "evpn" in read:
        read["evpn"] = {"vtep": "", **read["evpn"]}
    shown = SHOWN_EMPTY.keys() - {"mtu"}
    return {key: value for key, value in read.items() if key in shown or value not in ("", 0, False, None)}


def test_what_is_accepted_is_judged_by_the_values_that_ovn_kubernetes_reads(shared: Path) -> None:
    accepted = [answer for answer in answers(shared) if "parsed" in answer]
    wrong = [(each["config"], values(each["config"]), each["parsed"]) for each in accepted]
    assert [(config, ours, theirs) for config, ours, theirs in wrong if ours != theirs] == []
    assert accepted


def test_what_is_accepted_is_refused_only_with_an_id_that_the_documentation_explains(shared: Path) -> None:
    accepted = [answer for answer in answers(shared) if not {"error", "nadError"} & set(answer)]
    refused = Counter(error.rule for each in accepted for error in judged(each).errors)
    assert set(refused) - REFUSED_NEVERTHELESS == set()


def test_what_is_refused_is_refused_here_in_the_same_words(shared: Path) -> None:
    assert list(_differences(answers(shared))) == []


def _differences(rows: list[Answer]) -> Iterator[tuple[str, str, list[str]]]:
    for answer in rows:
        text = str(answer.get("error") or answer.get("nadError") or "")
        if not text:
            continue
        judgement = judged(answer)
        details = [error.detail for error in judgement.errors]
        if judgement.allowed and not OUR_TYPE.search(answer["config"]):
            continue
        if text == NOT_OURS:
            # another plugin is the one that counts, and ours stands there, too
            if not judgement.allowed and {error.rule for error in judgement.errors} != {"cni-config-repeated-key"}:
                yield answer["config"], text, details
        elif judgement.allowed or not (
            text.startswith(IN_OTHER_WORDS)
            or any(text in each for each in details)
            # what follows from a value that only ovnguard refuses is not said
            or {error.rule for error in judgement.errors} & (REFUSED_NEVERTHELESS - {"cni-config-repeated-key"})
        ):
            yield answer["config"], text, details
