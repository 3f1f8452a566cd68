"""A revision of a hostile repository takes bounded time and memory."""

import time
from pathlib import Path

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.git_revision import read_revision
from tests.attacks.hostile_repository import MANIFEST, commit_of_blob, delta_bomb, long_name, repository, tree_bomb
from tests.support.git_folder import git
from tests.support.preflight_run import run
from tests.support.soak import sized

MIB = 1 << 20


def test_a_tree_that_contains_itself_many_times_ends(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone")
    tree_bomb(clone, depth=10, wide=10)
    commit = git(clone, "rev-parse", "--short=12", "HEAD")
    start = time.process_time()
    assert run(str(clone), "--old", "git:HEAD") == (
        2,
        "",
        f"Error: git: {commit} has too many files; judge {clone} in parts\n",
    )
    assert time.process_time() - start < 10


def test_one_content_with_many_names_is_read_once(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone")
    tree_bomb(clone, depth=3, wide=10)
    read: list[JsonObject] = []

    def stored(obj: JsonObject) -> JsonObject:
        read.append(obj)
        return obj

    read_revision("HEAD", [str(clone)], stored)
    assert len(read) == 1


def test_a_name_that_no_file_can_have_is_left_out(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone")
    long_name(clone, sized(4, 64) * MIB)
    start = time.process_time()
    assert read_revision("HEAD", [str(clone)], lambda obj: obj).objects == {}
    assert time.process_time() - start < 2


def test_a_large_manifest_in_a_revision_is_not_read(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone")
    (tmp_path / "zeros").write_bytes(bytes(64 * MIB + 1))
    commit_of_blob(clone, git(clone, "hash-object", "-w", str(tmp_path / "zeros")))
    assert run(str(clone / "networks"), "--old", "git:HEAD") == (
        2,
        "",
        f"Error: git: {MANIFEST} is larger than 64 MiB\n",
    )


def test_a_difference_to_something_large_takes_little_memory(tmp_path: Path) -> None:
    clone = repository(tmp_path / "clone")
    octets = sized(200, 2000) * MIB
    delta_bomb(clone, octets)
    blob = git(clone, "rev-parse", f"HEAD:{MANIFEST}")
    pack = clone / ".git/objects/pack/pack-bomb.pack"
    # git says so of what it may not allocate
    text = f"packed object {blob} (stored in {pack}) is corrupt"
    assert run(str(clone / "networks"), "--old", "git:HEAD") == (2, "", f"Error: git: {text}\n")
