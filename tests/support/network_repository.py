"""A git repository of networks, one of which was changed."""

import os
import subprocess
from pathlib import Path

NETWORK = """\
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: blue}
spec:
  namespaceSelector: {}
  network: {topology: Layer2, layer2: {role: Primary, subnets: [%s]}}
"""


def git(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    # a repository of the test's own, wherever the tests run: a hook of git sets GIT_DIR and others
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = {**inherited, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **more}
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def repository(folder: Path) -> str:
    """Make a git repository of a folder with everything in it; return the commit."""
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        assert git(folder, *arguments).returncode == 0
    return git(folder, "rev-parse", "HEAD").stdout.strip()


def networks(folder: Path) -> Path:
    """A repository of networks whose subnet was changed and staged."""
    file = folder / "networks" / "blue.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(NETWORK % "10.20.0.0/16")
    (folder / "ci.yaml").write_text("on: [push]\n")
    repository(folder)
    file.write_text(NETWORK % "10.21.0.0/16")
    assert git(folder, "add", "-A").returncode == 0
    return folder
