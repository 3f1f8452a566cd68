"""Compare the errors of a definition with those of the API server's code."""

import re
from collections import Counter
from typing import Any

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from tests.support.differential.peer import Peer

UNIQUE = re.compile(
    r"(?<=selfType)\d+|(?<=\()0x[0-9a-f]+(?=\))|(?<=incompatible type already exists) for expression: .*? old:[^\n]*",
    re.DOTALL,
)
"""The numbers of types, addresses, and Go's print of a syntax tree: the code that answers chooses them."""
_NO_DEFINITION = "must be a CustomResourceDefinition of apiextensions.k8s.io/v1"
_UNKNOWN_KIND = re.compile(r"no kind |is not a CustomResourceDefinition|'(Kind|apiVersion)' is missing|no version ")
_TRIES = 60
_LEAD = "definition: "
# Integers beyond 64 bits count as floats here: the digits that were written are not known.
_LONG_NUMBER = re.compile(r"number (-?[0-9]{19,}|-?[0-9.]+e\+[0-9]+) into")


def our_texts(source: Any, kubernetes: str = DEFAULT_KUBERNETES) -> list[str]:
    """Return our errors of a definition, [] for a valid one."""
    try:
        compile_crd(source, kubernetes=kubernetes)
    except InvalidCRD as fault:
        return [UNIQUE.sub("", error.text_of(kubernetes)) for error in fault.errors]
    return []


def definition_differences(peer: Peer, source: Any, kubernetes: str = DEFAULT_KUBERNETES) -> list[str]:
    """Return what differs, [] if nothing does.

    The order of the errors is not compared: Go goes through maps in an order of its own. Where that decides which
    error is found, one of its answers has to be ours. Where the API server's code ends with a nil pointer, any refusal
    will do.
    """
    ours = our_texts(source, kubernetes)
    found = _differences(peer, source, ours)
    for attempt in range(_TRIES if found and isinstance(source, dict) else 0):
        # An unknown key makes it another definition for the peer, which keeps its answers.
        if not _differences(peer, {**source, "attempt": attempt}, ours):
            return []
    return found


def _differences(peer: Peer, source: Any, ours: list[str]) -> list[str]:
    try:
        answer = peer.ask(crd=source)
    except RuntimeError as fault:
        return _undecodable(ours, str(fault))
    theirs = [UNIQUE.sub("", error["text"]) for error in answer["crdErrors"]]
    if not ours or not theirs:
        return [] if ours == theirs else [f"ours: {ours}", f"peer: {theirs}"]
    found = [f"only ours: {one}" for one in (Counter(ours) - Counter(theirs)).elements()]
    return found + [f"only the peer's: {one}" for one in (Counter(theirs) - Counter(ours)).elements()]


def _undecodable(ours: list[str], fault: str) -> list[str]:
    return [] if fault_is_ours(ours, fault.removeprefix(_LEAD)) else [f"ours: {ours}", f"peer: {fault}"]


def fault_is_ours(ours: list[str], fault: str) -> bool:
    """Whether the texts of our errors say what Go says about a definition that does not decode."""
    fault_text = _LONG_NUMBER.sub("number into", fault)
    if ours and (
        fault_text.startswith("panic: ") or _LONG_NUMBER.sub("number into", ours[0]).endswith(f" value: {fault_text}")
    ):
        return True
    return bool(ours and ours[0].endswith(_NO_DEFINITION) and _UNKNOWN_KIND.search(fault_text))
