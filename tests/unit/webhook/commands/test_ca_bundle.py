"""The process that writes caBundle: what it refuses. tests/e2e runs it."""

from pathlib import Path

import click
import pytest

from ovnguard.webhook.commands import ca_bundle


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("a/b", "c/d", "ovnguard", None), "Give one of --kubeconfig and --in-cluster."),
        (("a", "c/d", "ovnguard", Path("config")), "--authority: NAMESPACE/NAME is expected, not 'a'."),
        (("a/b", "c", "ovnguard", Path("config")), "--service: NAMESPACE/NAME is expected, not 'c'."),
    ],
)
def test_what_it_refuses(args: tuple[str, str, str, Path | None], error: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        ca_bundle.run(*args, in_cluster=False)
    assert refused.value.message == error
