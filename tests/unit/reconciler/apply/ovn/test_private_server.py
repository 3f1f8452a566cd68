"""A server for a database file that does not start; `tests/functional/test_audit.py` uses a real one."""

import pytest

from ovnguard.reconciler.apply.ovn.private_server import served
from ovnguard.reconciler.apply.store_errors import StoreUnavailableError


@pytest.mark.timing
def test_a_server_that_does_not_start_is_an_error(tmp_path):
    with pytest.raises(StoreUnavailableError) as error, served("/bin/false", tmp_path / "1"):
        raise AssertionError("nothing is served")
    assert str(error.value) == "/bin/false does not serve 1"
