"""The webhook with certificates that are valid for minutes: ``python -m tests.support.deployed.rotating OPTIONS``.

A certificate begins five minutes before it is made, so that one of `LIFETIME` is in its last third, and replaced, after
some seven seconds; a successor is told of for `OVERLAP` before it signs.
"""

from datetime import timedelta
from functools import partial
from unittest.mock import patch

from ovnguard.webhook.certificates import authority, authority_secret, certificate_renewer, self_signed
from ovnguard.webhook.cli import main

LIFETIME = timedelta(seconds=160)
OVERLAP = timedelta(minutes=5, seconds=5)
ROUND_SECONDS = 1.0

if __name__ == "__main__":
    with (
        patch.object(authority, "make_authority", partial(self_signed.make_authority, lifetime=LIFETIME)),
        patch.object(authority, "issue", partial(self_signed.issue, lifetime=LIFETIME)),
        patch.object(authority_secret, "decide", partial(authority.decide, overlap=OVERLAP)),
        patch.object(certificate_renewer, "ROUND_SECONDS", ROUND_SECONDS),
    ):
        main()
