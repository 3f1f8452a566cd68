"""Services by name from the API server: absence is tolerated, silence is not taken for absence."""

from ipaddress import ip_address

import pytest

from reconciler.loop.services import ServiceReader
from reconciler.plan.settings import Service
from validators.cluster.api import ApiStatusError, ClusterError

KUBERNETES = "/api/v1/namespaces/default/services/kubernetes"
DNS = "/api/v1/namespaces/kube-system/services/kube-dns"


def service(path: str, *addresses: str):
    _, _, _, _, namespace, _, name = path.split("/")
    return {"metadata": {"namespace": namespace, "name": name}, "spec": {"clusterIPs": list(addresses)}}


class Client:
    def __init__(self) -> None:
        self.answers: dict[str, object] = {}
        self.asked: list[tuple[str, str]] = []

    def request(self, method, path, *_):
        self.asked.append((method, path))
        answer = self.answers.get(path, ApiStatusError(404, "NotFound", "no"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_both_are_read_and_again_when_they_are_old():
    client, clock = Client(), Clock()
    client.answers[KUBERNETES] = service(KUBERNETES, "10.96.0.1")
    client.answers[DNS] = service(DNS, "10.96.0.10", "fd00::a")
    reader = ServiceReader(client, 30.0, clock)
    both = (
        Service("default/kubernetes", (ip_address("10.96.0.1"),)),
        Service("kube-system/kube-dns", (ip_address("10.96.0.10"), ip_address("fd00::a"))),
    )
    assert reader() == reader() == both
    assert client.asked == [("GET", KUBERNETES), ("GET", DNS)]
    del client.answers[DNS]
    clock.now = 30.0
    assert reader() == both[:1]


@pytest.mark.parametrize("code", [403, 404])
def test_absence_is_an_answer(code):
    client = Client()
    client.answers[KUBERNETES] = ApiStatusError(code, "X", "no")
    assert ServiceReader(client)() == ()


@pytest.mark.parametrize("error", [ClusterError("gone"), ApiStatusError(500, "InternalError", "gone")])
def test_silence_is_no_answer(error):
    client, clock = Client(), Clock()
    client.answers[KUBERNETES] = error
    reader = ServiceReader(client, 30.0, clock)
    with pytest.raises(ClusterError) as raised:
        reader()
    assert str(raised.value) == f"cannot read Service default/kubernetes: {error}"
    client.answers[KUBERNETES] = service(KUBERNETES, "10.96.0.1")
    known = reader()
    client.answers[KUBERNETES], clock.now = error, 30.0
    assert reader() == known != ()
