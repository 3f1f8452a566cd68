"""Whether tests run in their long form: ``make soak`` sets OVNGUARD_SOAK=1."""

import os
from typing import Final

SOAK: Final = os.environ.get("OVNGUARD_SOAK") == "1"


def examples(few: int) -> int:
    """How many examples Hypothesis draws: these, in a soak a hundred times as many."""
    return 100 * few if SOAK else few
