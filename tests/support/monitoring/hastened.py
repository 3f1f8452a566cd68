"""Runs ovnguard-reconciler with shorter periods: ``python -m ....hastened MODULE:NAME=SECONDS... -- ARGS``.

What takes minutes in a cluster then takes seconds; everything else is the program as it is.
"""

import importlib
import sys

from ovnguard.reconciler.cli import main


def hasten(settings: list[str]) -> None:
    """Set constants of modules."""
    for each in settings:
        place, _, seconds = each.partition("=")
        module, _, name = place.partition(":")
        found = importlib.import_module(module)
        assert isinstance(getattr(found, name), float | int), each
        setattr(found, name, float(seconds))


if __name__ == "__main__":
    end = sys.argv.index("--")
    hasten(sys.argv[1:end])
    sys.argv = ["ovnguard-reconciler", *sys.argv[end + 1 :]]
    main()
