"""A webhook that runs before the kinds that it judges exist."""

from pathlib import Path

from tests.support.deployed.installed import served_crds
from tests.support.webhook.live_webhook import network, serving
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until


def test_kind_that_comes_later_is_seen_soon(apiserver: ApiServer, tmp_path: Path) -> None:
    """Without definitions the bundled ones judge; once the cluster has them, its objects are known soon."""
    with serving(tmp_path, apiserver.kubeconfig) as webhook:
        assert webhook.ask(network())["auditAnnotations"]["schema-set"] == "released"
        assert "needs" in webhook.ask(network())["auditAnnotations"].get("notes", "")
        with served_crds(apiserver, "released"):

            def known() -> bool:
                annotations = webhook.ask(network())["auditAnnotations"]
                return annotations["schema-set"] == "given" and "other networks" not in annotations.get("notes", "")

            wait_until(known, "networks of the cluster are known", 60)
