"""Estimated cost of a call: what the API server says of its functions, else what cel-go says of its own."""

from collections.abc import Sequence

from validators.cel.cost.estimate_argument import Argument, ElementSize, Estimate
from validators.cel.cost.estimate_kubernetes import BY_FUNCTION
from validators.cel.cost.estimate_standard import BY_OVERLOAD, extension
from validators.cel.cost.ranges import ONE


def call_estimate(
    function: str, overload: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize
) -> Estimate:
    """Cost without that of the arguments, and the size of the result if it is known."""
    found = extension(overload, target, args)
    if found is None and function in BY_FUNCTION:
        found = BY_FUNCTION[function](overload, target, args, elements)
    if found is None and overload in BY_OVERLOAD:
        found = BY_OVERLOAD[overload](overload, target, args, elements)
    return (ONE, None) if found is None else found
