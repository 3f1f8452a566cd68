"""Whether tests run in their long form: ``make soak`` sets OVNGUARD_SOAK=1."""

import os
from typing import Final

SOAK: Final = os.environ.get("OVNGUARD_SOAK") == "1"
