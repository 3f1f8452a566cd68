"""Repositories whose files or git configuration run a program when somebody asks git about them unprotected.

The program leaves a canary. Each payload has a git command that runs it: an attack that is not alive proves nothing.
"""

import shutil
import struct
import zlib
from hashlib import sha1
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.git_folder import git

NETWORK: Final = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.41.0.0/16}], mtu: %d}}
"""
MANIFEST: Final = "networks/a.yaml"
STORED_MTU: Final = 1400
"""The MTU in the commit of each repository; the files have another one, which is an update that rules refuse."""


class Canary(NamedTuple):
    """A program, and the file that shows that it ran."""

    program: Path
    file: Path

    @property
    def ran(self) -> bool:
        return self.file.exists()


class Payload(NamedTuple):
    """Lines of a git configuration, in which PROGRAM is to run, and the git command that runs it.

    ``lacks_blob`` says that git has to fetch a blob.
    """

    lines: str
    trigger: tuple[str, ...]
    lacks_blob: bool = False


_READ: Final = ("cat-file", "blob", f"HEAD:{MANIFEST}")
_PROMISOR: Final = '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n'


def _fetched(lines: str) -> Payload:
    return Payload(_PROMISOR + lines, _READ, lacks_blob=True)


PAYLOADS: Final = {
    "uploadpack": _fetched('\turl = .\n\tuploadpack = PROGRAM\n[protocol "file"]\n\tallow = always\n'),
    "ext": _fetched('\turl = ext::PROGRAM\n[protocol "ext"]\n\tallow = always\n'),
    "sshCommand": _fetched("\turl = ssh://example.com/x\n[core]\n\tsshCommand = PROGRAM\n"),
    "gitProxy": _fetched("\turl = git://example.com/x\n[core]\n\tgitProxy = PROGRAM\n"),
    "insteadOf": _fetched(
        '\turl = far:x\n[url "ext::PROGRAM "]\n\tinsteadOf = far:\n[protocol "ext"]\n\tallow = always\n'
    ),
    "fsmonitor": Payload("[core]\n\tfsmonitor = PROGRAM\n", ("status",)),
    "hooksPath": Payload("[core]\n\thooksPath = hooks-of-payload\n", ("checkout", "-q", "HEAD")),
    "textconv": Payload('[diff "x"]\n\ttextconv = PROGRAM\n', ("cat-file", "--textconv", f"HEAD:{MANIFEST}")),
    "smudge": Payload('[filter "x"]\n\tsmudge = PROGRAM\n', ("cat-file", "--filters", f"HEAD:{MANIFEST}")),
    "diff.external": Payload("[diff]\n\texternal = PROGRAM\n", ("diff",)),
}


def canary(folder: Path) -> Canary:
    """Write a program that leaves a canary."""
    made = Canary(folder / "payload", folder / "canary")
    made.program.write_text(f"#!/bin/sh\necho ran > {made.file}\nexit 1\n")
    made.program.chmod(0o755)
    return made


def repository(folder: Path, manifest: str = MANIFEST) -> Path:
    """An ordinary repository with one committed network, which the file changes."""
    file = folder / manifest
    file.parent.mkdir(parents=True)
    git(folder, "init", "-q")
    file.write_text(NETWORK % STORED_MTU)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    file.write_text(NETWORK % (STORED_MTU - 100))
    return folder


def arm(directory: Path, payload: Payload, program: Path) -> None:
    """Give the repository in ``directory`` a payload."""
    if payload.lacks_blob:
        blob = git(directory, "ls-tree", "-r", "HEAD").split()[2]
        (directory / "objects" / blob[:2] / blob[2:]).unlink()
    hook = directory.parent / "hooks-of-payload" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(program, hook)
    attributes = directory / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.yaml diff=x filter=x\n")
    with (directory / "config").open("a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n" + payload.lines.replace("PROGRAM", str(program)))


def hostile_clone(folder: Path, name: str, program: Path) -> Path:
    """A repository with a payload in its ``.git``, as an unpacked archive has it."""
    arm(repository(folder) / ".git", PAYLOADS[name], program)
    return folder


def hidden_bare(folder: Path, program: Path) -> Path:
    """Manifests in ``networks``, which is also a bare repository: ordinary files that an ordinary clone brings."""
    networks = repository(folder / "networks", "a.yaml")
    git_folder = networks / ".git"
    for name in ("HEAD", "config", "objects", "refs"):
        (git_folder / name).rename(networks / name)
    shutil.rmtree(git_folder)
    config = networks / "config"
    config.write_text(config.read_text().replace("bare = false", "worktree = ."))
    arm(networks, PAYLOADS["uploadpack"], program)
    return folder


def tree_bomb(folder: Path, depth: int, wide: int) -> None:
    """A commit with ``wide`` to the power of ``depth`` manifests, all of them one blob."""
    name, kind, mode = "a%d.yaml", "blob", "100644"
    identity = git(folder, "hash-object", "-w", MANIFEST)
    for _ in range(depth):
        lines = "".join(f"{mode} {kind} {identity}\t{name % number}\n" for number in range(wide))
        identity = git(folder, "mktree", stdin=lines)
        name, kind, mode = "d%d", "tree", "040000"
    commit = git(folder, "commit-tree", "-m", "bomb", identity)
    git(folder, "update-ref", "refs/heads/main", commit)


def long_name(folder: Path, length: int) -> None:
    """A commit with one manifest under a name of ``length`` octets."""
    blob = git(folder, "rev-parse", f"HEAD:{MANIFEST}")
    tree = git(folder, "mktree", stdin=f"100644 blob {blob}\t{'a' * length}.yaml\n")
    git(folder, "update-ref", "refs/heads/main", git(folder, "commit-tree", "-m", "long", tree))


def commit_of_blob(folder: Path, blob: str) -> None:
    """A commit in which the manifest is a given blob."""
    inner = git(folder, "mktree", "--missing", stdin=f"100644 blob {blob}\ta.yaml\n")
    outer = git(folder, "mktree", stdin=f"040000 tree {inner}\tnetworks\n")
    git(folder, "update-ref", "refs/heads/main", git(folder, "commit-tree", "-m", "large", outer))


def delta_bomb(folder: Path, octets: int) -> None:
    """A commit whose manifest is one byte: the difference to a base of ``octets`` zeros, a thousandth in the pack."""
    base = zlib.compress(bytes(octets), 1)
    # copy one byte from the start of the base
    delta = _varint(octets) + _varint(1) + bytes((0b10010000, 1))
    first = _header(3, octets) + base
    distance = len(first)
    second = _header(6, len(delta)) + _offset(distance) + zlib.compress(delta)
    pack = b"PACK" + struct.pack(">II", 2, 2) + first + second
    file = folder / ".git" / "objects" / "pack" / "pack-bomb.pack"
    file.write_bytes(pack + sha1(pack).digest())
    git(folder, "index-pack", str(file))
    commit_of_blob(folder, sha1(b"blob 1\0\0").hexdigest())


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*made, number))


def _header(kind: int, size: int) -> bytes:
    """The type and the size before a packed object."""
    first, rest = kind << 4 | size & 0xF, size >> 4
    return bytes((first | 0x80,)) + _varint(rest) if rest else bytes((first,))


def _offset(distance: int) -> bytes:
    """The distance to the base of a delta: big-endian, each byte but the last one more than it seems."""
    made = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        made.append(distance & 0x7F | 0x80)
    return bytes(reversed(made))
