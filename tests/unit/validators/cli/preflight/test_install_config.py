"""InstallConfigs, which have no kind."""

import pytest

from tests.support.preflight_run import report

INSTALL_CONFIG = """apiVersion: v1
metadata:
  name: blue
baseDomain: example.com
publish: %s
platform:
  aws:
    region: eu-west-1
    %s
"""
USER_DNS = "userConfiguredDNSLB: {userDNS: Disabled}"


@pytest.mark.parametrize("choice", [USER_DNS, "userProvisionedDNS: Disabled", "lbType: NLB"])
def test_an_install_config_is_judged_by_its_schema(choice):
    code, document = report("-", stdin=INSTALL_CONFIG % ("External", choice))
    assert [finding for finding in document["findings"] if finding["severity"] == "error"] == []
    assert (code, document["summary"]["objects"]) == (0, 1)


def test_a_bad_install_config_is_shown_at_its_own_fields():
    code, document = report("-", stdin=INSTALL_CONFIG % ("Both", USER_DNS))
    first = document["findings"][0]
    assert (code, first["line"], first["column"], first["path"]) == (1, 5, 1, "publish")
    assert first["message"] == ('Unsupported value: "Both": supported values: "", "External", "Internal", "Mixed"')


def test_a_choice_of_another_platform_is_unknown():
    text = "apiVersion: v1\nbaseDomain: a.b\nplatform:\n  azure:\n    userConfiguredDNSLB: {userDNS: Enabled}\n"
    code, document = report("-", stdin="metadata: {name: a}\n" + text)
    assert code == 1
    assert [
        (finding["line"], finding["path"]) for finding in document["findings"] if finding["severity"] == "error"
    ] == [(6, "platform.azure.userConfiguredDNSLB")]
