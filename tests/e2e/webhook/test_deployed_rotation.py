"""The replicas' own authority changes hands several times while the API server asks: nobody is ever not trusted.

``make soak`` makes it two minutes.
"""

import base64
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography import x509

from tests.support.deployed.deployed import Kubectl
from tests.support.deployed.in_force import SECRET, Deployed
from tests.support.deployed.replicas import grows, load, pair
from tests.support.soak import sized
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing
SECONDS = sized(0.0, 120.0)
SIGNERS = 3


@dataclass
class Seen:
    """Serial numbers of who signed and of what was served, and how many authorities were trusted at once."""

    signers: set[int] = field(default_factory=set)
    leaves: set[int] = field(default_factory=set)
    trusted: set[int] = field(default_factory=set)

    def look(self, cluster: Deployed) -> bool:
        """Read the Secret; whether there were enough changes."""
        data = {key: base64.b64decode(value) for key, value in cluster.api.request("GET", SECRET)[1]["data"].items()}
        bundle = x509.load_pem_x509_certificates(data["ca.crt"])
        self.signers.add(bundle[0].serial_number)
        self.leaves.add(x509.load_pem_x509_certificate(data["tls.crt"]).serial_number)
        self.trusted.add(len(bundle))
        return len(self.signers) > SIGNERS


def test_the_authority_changes_under_load(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> None:
    need(parts, "kube-apiserver")
    with pair(apiserver, Kubectl(parts, apiserver), tmp_path, module="tests.support.deployed.rotating") as two:
        seen = Seen()
        before = sum(two.balancer.taken.values())
        with load(apiserver) as noted:
            began = time.monotonic()
            wait_until(lambda: seen.look(two.cluster) and time.monotonic() - began > SECONDS, "the changes", 240)
            wait_until(grows(noted, 20), "the last one is served", 60)
        taken = sum(two.balancer.taken.values()) - before
        print(
            f"{noted.answered} answers in {time.monotonic() - began:.0f} s, slowest {noted.slowest:.2f} s, "
            f"{len(seen.signers)} authorities, {len(seen.leaves)} leaves, {taken} connections"
        )
        assert (noted.failed, noted.wrong) == ([], [])
        assert noted.answered > 200
        # old and new are trusted together, by both registrations
        assert max(seen.trusted) > 1
        assert len(seen.leaves) >= len(seen.signers)
        # each change of the bundle makes the API server connect anew, to what is served by then
        assert taken > len(seen.signers)
        [bundle] = two.cluster.bundles()
        held = x509.load_pem_x509_certificates(base64.b64decode(bundle))
        assert {each.serial_number for each in held} & seen.signers
