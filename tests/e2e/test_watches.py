"""What `run` says about watches that the API server refuses: a real server, with rights that come late."""

from pathlib import Path

import pytest

from tests.support.deployed import running
from tests.support.deployed.process_log import messages
from tests.support.deployed.running import ACCOUNTS, RIGHTS, Zone, account_of, as_deployed, cudn

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone
NAME = "ovnguard-reconciler"


def test_rights_that_come_after_the_start_are_one_line_in_the_log(zone: Zone) -> None:
    zone.kubeconfig = as_deployed(zone.api, zone.folder, NAME, ACCOUNTS[0])
    (binding,) = [each for _, each in account_of(ACCOUNTS[0]) if each["kind"] == "ClusterRoleBinding"]
    assert zone.api.request("DELETE", f"{RIGHTS}/clusterrolebindings/{NAME}")[0] == 200
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start(record=False)
    log: Path = zone.folder / "run.log"
    zone.until(lambda: any("403 Forbidden" in line for line in messages(log)), "the first refusal")
    assert zone.api.request("POST", f"{RIGHTS}/clusterrolebindings", binding)[0] == 201
    zone.until(lambda: any(line.startswith("zone worker-a: ") and "inserted" in line for line in messages(log)), "rows")
    (refusal,) = [line for line in messages(log) if "403 Forbidden" in line]
    assert "is forbidden: User" in refusal
    assert zone.complaints("403", "failed for") == []
