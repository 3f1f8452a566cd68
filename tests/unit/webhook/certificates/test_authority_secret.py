"""Replicas that share one Secret: they agree, they tell both registrations, and they never lose each other's writes."""

import base64
import copy
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.webhook.certificates import certificate_renewer
from ovnguard.webhook.certificates.authority import OVERLAP, read
from ovnguard.webhook.certificates.authority_secret import Agreement, AuthorityPlacement
from ovnguard.webhook.certificates.certificate_renewer import AuthorityFiles, CertificateRenewer
from ovnguard.webhook.certificates.self_signed import AUTHORITY_LIFETIME, CertificateFiles, fits
from ovnguard.webhook.commands.ca_bundle import follow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = AuthorityPlacement(("system", "hook-tls"), ("system", "hook"))
CONFIG_MAP = "/api/v1/namespaces/system/configmaps/hook-tls"
SECRET = "/api/v1/namespaces/system/secrets/hook-tls"
VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ovnguard"
MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ovnguard"


class Server:
    """Objects by path, with versions that are checked; as much of an API server as is needed here."""

    def __init__(self) -> None:
        self.objects: dict[str, dict] = {}
        self.refuse: dict[tuple[str, str], int] = {}
        self.before_write = lambda: None
        self.writes: list[tuple[str, str]] = []
        self._lock = threading.Lock()
        self._version = 0

    def put(self, path: str, obj: dict) -> None:
        self._version += 1
        self.objects[path] = {**obj, "metadata": {**obj.get("metadata", {}), "resourceVersion": str(self._version)}}

    def register(self, path: str, *webhooks: dict) -> None:
        self.put(path, {"metadata": {"name": "ovnguard"}, "webhooks": list(webhooks)})

    def request(self, method, path, query=None, body=None, content_type=""):
        if method != "GET":
            self.before_write()
        with self._lock:
            if (method, path) in self.refuse:
                raise ApiStatusError(self.refuse[method, path], "Refused", "no")
            if method == "POST":
                path = f"{path}/{body['metadata']['name']}"
                if path in self.objects:
                    raise ApiStatusError(409, "AlreadyExists", "there is one")
            elif path not in self.objects:
                raise ApiStatusError(404, "NotFound", "there is none")
            if method == "GET":
                return copy.deepcopy(self.objects[path])
            if (
                method != "POST"
                and body["metadata"]["resourceVersion"] != self.objects[path]["metadata"]["resourceVersion"]
            ):
                raise ApiStatusError(409, "Conflict", "changed meanwhile")
            self.writes.append((method, path))
            before = self.objects.get(path, {})
            merged = {**before, **body, "metadata": {**before.get("metadata", {}), **body["metadata"]}}
            self.put(path, copy.deepcopy(merged))
            return self.objects[path]

    def held(self):
        return read({key: base64.b64decode(value) for key, value in self.objects[SECRET]["data"].items()})

    def bundles(self, path: str) -> list[bytes]:
        return [base64.b64decode(each["clientConfig"].get("caBundle", "")) for each in self.objects[path]["webhooks"]]


def webhook(name: str = "hook", **config) -> dict:
    service = {"namespace": "system", "name": name}
    return {"name": f"{name}.example", "clientConfig": {"service": service, **config}, "timeoutSeconds": 5}


@pytest.fixture
def server() -> Server:
    made = Server()
    made.register(VALIDATING, webhook(), webhook("stranger", caBundle="dGhlaXJz"))
    made.register(MUTATING, webhook())
    return made


@pytest.fixture
def agreement(server) -> Agreement:
    return Agreement(server, PLACE)


def tell(server) -> None:
    """As the other account does."""
    follow(server, PLACE.secret, PLACE.registered)


def test_first_replica_makes_the_secret_and_publishes_its_certificate(server, agreement):
    held = agreement.settle(NOW)
    public = {"ca.crt": held.bundle.decode(), "tls.crt": held.leaf.certificate_pem.decode()}
    assert server.objects[CONFIG_MAP]["data"] == public
    assert server.bundles(MUTATING) == [b""]
    assert {path for _, path in server.writes} == {SECRET, CONFIG_MAP}


def test_both_registrations_get_the_bundle(server, agreement):
    held = agreement.settle(NOW)
    server.writes.clear()
    tell(server)
    assert server.writes == [("PATCH", VALIDATING), ("PATCH", MUTATING)]
    assert server.held() == held
    assert fits(held.leaf, held.signer, ("hook.system.svc", "localhost", "127.0.0.1", "::1"))
    assert server.bundles(VALIDATING) == [held.bundle, b"theirs"]
    assert server.bundles(MUTATING) == [held.bundle]
    assert server.objects[MUTATING]["webhooks"][0]["timeoutSeconds"] == 5


def test_second_replica_takes_what_is_there_and_writes_nothing(server, agreement):
    held = agreement.settle(NOW)
    tell(server)
    server.writes.clear()
    assert Agreement(server, PLACE).settle(NOW) == held
    tell(server)
    assert server.writes == []


def test_empty_secret_is_filled(server, agreement):
    server.put(SECRET, {"metadata": {"name": "hook-tls", "labels": {"kept": "yes"}}})
    assert agreement.settle(NOW) == server.held()
    assert server.objects[SECRET]["metadata"]["labels"] == {"kept": "yes"}
    assert ("POST", SECRET) not in server.writes


def test_registration_that_lost_its_bundle_gets_it_back(server, agreement):
    held = agreement.settle(NOW)
    server.register(MUTATING, webhook(caBundle="b2xk"))
    tell(server)
    assert server.bundles(MUTATING) == [held.bundle]


def test_no_registrations_are_no_fault(agreement, server):
    del server.objects[VALIDATING], server.objects[MUTATING]
    assert agreement.settle(NOW) == server.held()
    tell(server)


def test_succession_waits_until_the_bundle_is_published(server, agreement, caplog):
    first = agreement.settle(NOW)
    tell(server)
    old = NOW + AUTHORITY_LIFETIME * 0.7
    named = agreement.settle(old)
    assert named.signer == first.signer
    # nobody has told the registrations yet
    assert agreement.settle(old + OVERLAP * 2).signer == first.signer
    server.refuse["PATCH", MUTATING] = 403
    tell(server)
    assert "the caBundle cannot be written: 403" in caplog.text
    assert agreement.settle(old + OVERLAP * 2).signer == first.signer
    server.refuse.clear()
    tell(server)
    assert server.bundles(MUTATING) == [named.bundle] != [first.bundle]
    after = agreement.settle(old + OVERLAP * 2)
    assert after.signer == named.successor
    tell(server)
    assert server.bundles(MUTATING) == [after.bundle]
    assert first.signer.certificate in after.trusted


@pytest.mark.parametrize("refused", [("GET", VALIDATING), ("PATCH", CONFIG_MAP), ("GET", CONFIG_MAP)])
def test_what_is_not_known_to_be_published_does_not_sign(server, agreement, refused, caplog):
    first = agreement.settle(NOW)
    tell(server)
    server.refuse[refused] = 403
    old = NOW + AUTHORITY_LIFETIME * 0.7
    agreement.settle(old)
    assert agreement.settle(old + OVERLAP * 2).signer == first.signer
    assert "the authority is not known to be published: 403" in caplog.text


def test_registrations_stay_unchanged_before_an_authority_is_published(server):
    tell(server)
    server.put(CONFIG_MAP, {"metadata": {"name": "hook-tls"}})
    tell(server)
    assert server.writes == []


def test_the_loser_of_the_race_takes_the_authority_of_the_winner(server, agreement):
    winner = []

    def overtake() -> None:
        server.before_write = lambda: None
        winner.append(Agreement(server, PLACE).settle(NOW))

    server.before_write = overtake
    assert agreement.settle(NOW) == winner[0] == server.held()


@pytest.mark.timing
def test_many_at_once_agree(server):
    found, barrier = [], threading.Barrier(6)

    def replica() -> None:
        barrier.wait(60)
        found.append(Agreement(server, PLACE).settle(NOW))

    threads = [threading.Thread(target=replica) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [server.held()] * 6


def test_race_without_end_is_a_fault(server, agreement):
    agreement.settle(NOW)

    def touch() -> None:
        server.put(SECRET, server.objects[SECRET])

    server.before_write = touch
    with pytest.raises(ClusterError, match="secret system/hook-tls: written by others 8 times in a row"):
        agreement.settle(NOW + timedelta(days=6))


@pytest.mark.parametrize(("method", "path"), [("GET", SECRET), ("POST", SECRET.rpartition("/")[0])])
def test_refusals_are_reported(server, agreement, method, path):
    server.refuse[method, path] = 403
    with pytest.raises(ApiStatusError, match="403 Refused"):
        agreement.settle(NOW)


def test_missing_namespace_is_reported(server, agreement):
    server.refuse["POST", SECRET.rpartition("/")[0]] = 404
    with pytest.raises(ApiStatusError, match="404 Refused"):
        agreement.settle(NOW)


def test_files_are_written_once_and_taken_away(agreement):
    held, place = agreement.settle(NOW), AuthorityFiles()
    try:
        place.take(held)
        files: CertificateFiles = place.files
        assert files.certificate.read_bytes() == held.leaf.certificate_pem
        assert files.key.stat().st_mode & 0o777 == 0o600
        assert files.key.parent.stat().st_mode & 0o777 == 0o700
        before = [file.stat().st_ino for file in (files.certificate, files.key)]
        place.take(held)
        assert [file.stat().st_ino for file in (files.certificate, files.key)] == before
    finally:
        place.close()
    assert not files.key.parent.exists()


@pytest.mark.timing
def test_renewer_continues_after_faults_and_reports_that_it_runs(server, monkeypatch):
    monkeypatch.setattr(certificate_renewer, "ROUND_SECONDS", 0.01)
    monkeypatch.setattr(certificate_renewer, "AGAIN_SECONDS", 0.01)
    server.refuse["GET", SECRET] = 500
    place = AuthorityFiles()
    keeper = CertificateRenewer(lambda: Agreement(server, PLACE), place)
    keeper.start()
    try:
        time.sleep(0.1)
        assert keeper.alive()
        assert not place.files.certificate.exists()
        server.refuse.clear()
        end = time.monotonic() + 60
        while not place.files.certificate.exists() and time.monotonic() < end:
            time.sleep(0.01)
        assert place.files.certificate.read_bytes() == server.held().leaf.certificate_pem
    finally:
        keeper.stop()
        place.close()
