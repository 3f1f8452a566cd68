"""The Containerfile: what a linter of such files would say, without one."""

import os
import re
import shlex
import subprocess

import pytest

from tests.support.paths import ROOT

FILE = ROOT / "deploy" / "image" / "Containerfile"
TEXT = FILE.read_text(encoding="utf-8")


def instructions():
    """Each instruction with its arguments, continued lines joined, comments left out."""
    lines = [line for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]
    for line in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        name, _, rest = line.partition(" ")
        yield name, rest.strip()


STEPS = list(instructions())


def all_of(name):
    return [rest for step, rest in STEPS if step == name]


def test_only_instructions_that_are_known():
    assert {name for name, _ in STEPS} <= {
        "ARG",
        "FROM",
        "ENV",
        "WORKDIR",
        "COPY",
        "RUN",
        "LABEL",
        "USER",
        "EXPOSE",
        "ENTRYPOINT",
        "CMD",
    }


def test_base_has_no_default():
    assert all_of("ARG") == ["BASE", "BASE"]
    assert [rest.split()[0] for rest in all_of("FROM")] == ["${BASE}", "${BASE}"]


@pytest.mark.parametrize(
    ("base", "code"),
    [
        (f"docker.io/library/python@sha256:{'0a' * 32}", 0),
        (f"docker.io/library/python:3.13.5-slim-bookworm@sha256:{'0a' * 32}", 0),
        ("docker.io/library/python:3.13.5-slim-bookworm", 1),
        ("docker.io/library/python@sha256:0a", 1),
        (f"docker.io/library/python@sha256:{'0a' * 32}x", 1),
        ("", 1),
    ],
)
def test_base_without_digest_is_refused(base, code):
    """By the first step of the build, as the shell of the base runs it."""
    names = [name for name, _ in STEPS]
    assert names[:4] == ["ARG", "FROM", "ARG", "RUN"]
    done = subprocess.run(["sh", "-c", STEPS[3][1]], env={"BASE": base, "PATH": os.environ["PATH"]}, check=False)
    assert done.returncode == code


def test_image_has_no_pip():
    """Neither the environment of the program nor the interpreter has pip."""
    assert all("--without-pip" in step for step in re.findall(r"-m venv [^&]*", TEXT))
    last = max(index for index, (name, _) in enumerate(STEPS) if name == "FROM")
    (removed,) = [rest for name, rest in STEPS[last:] if name == "RUN"]
    assert removed.startswith("rm -rf ")
    assert {"/usr/local/bin/pip*", "/usr/local/lib/python3.*/site-packages/pip*"} <= set(shlex.split(removed))


def test_image_runs_as_an_unprivileged_user():
    assert all_of("USER") == ["65532:65532"]
    names = [name for name, _ in STEPS]
    last_user = max(index for index, name in enumerate(names) if name == "USER")
    assert not {"RUN", "COPY"} & set(names[last_user:])


def test_nothing_is_installed_unpinned():
    for step in all_of("RUN"):
        for command in step.split("&&"):
            words = shlex.split(command)
            if "install" in words:
                assert "--require-hashes" in words or "--no-index" in words, command
            assert not {"curl", "wget", "sudo", "apt-get", "git"} & set(words)


def test_commands_are_lists():
    assert all_of("ENTRYPOINT") == ['["ovnguard-webhook"]']
    assert all_of("CMD") == ['["--help"]']


def test_folders_are_absolute():
    assert all(rest.startswith("/") for rest in all_of("WORKDIR"))


def sources():
    for rest in all_of("COPY"):
        words = rest.split()
        if not words[0].startswith("--from"):
            yield from words[:-1]


@pytest.mark.parametrize("source", [*sources()])
def test_sources_are_there_and_let_through(source):
    assert (ROOT / source).exists()
    ignored = FILE.with_name("Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert f"!{source}" in ignored


def test_sources_are_all_that_the_distribution_needs():
    folders = {link.resolve().name for link in (ROOT / "ovnguard").iterdir() if link.is_symlink()}
    assert len(folders) == 4
    assert folders | {"ovnguard", "pyproject.toml", "README.md", "LICENSE"} <= set(sources())
