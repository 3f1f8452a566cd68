import pytest

from ovnguard.reconciler.apply.ovn.server_name import foreign_certificate

NAMES = (
    ("DNS", "nb.example.com"),
    ("DNS", "*.zones.example.com"),
    ("IP Address", "10.0.0.1"),
    ("IP Address", "FD00:0:0:0:0:0:0:1"),
)


@pytest.mark.parametrize(
    "host",
    ["nb.example.com", "NB.example.com", "nb.example.com.", "a.zones.example.com", "10.0.0.1", "[fd00::1]"],
)
def test_a_certificate_names_its_hosts(host):
    assert foreign_certificate(f"ssl:{host}:6641", {"subjectAltName": NAMES}) == ""


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.2",
        "fd00::2",
        "example.com",
        "x.example.com",
        "zones.example.com",
        "a.b.zones.example.com",
        "*.example.com",
    ],
)
def test_a_certificate_names_no_other_host(host):
    message = foreign_certificate(f"ssl:[{host}]:6641", {"subjectAltName": NAMES})
    listed = "nb.example.com, *.zones.example.com, 10.0.0.1, FD00:0:0:0:0:0:0:1"
    assert message == f"the server's certificate is for {listed}, not for {host}"


def test_a_wildcard_covers_no_top_level_domain():
    message = foreign_certificate("ssl:a.com:6641", {"subjectAltName": (("DNS", "*.com"),)})
    assert message == "the server's certificate is for *.com, not for a.com"


@pytest.mark.parametrize("certificate", [{}, {"subject": ((("commonName", "10.0.0.1"),),)}])
def test_a_common_name_is_no_host(certificate):
    message = foreign_certificate("ssl:10.0.0.1:6641", certificate)
    assert message == "the server's certificate is for no host, not for 10.0.0.1"
