"""`make release` makes what can be made; with PUBLISH=1 it refuses where something is not set."""

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.release import build
from tests.support.release.staging import Tree

MISSING = ["release.toml: repository", "release.toml: registry"]


@pytest.mark.parametrize(
    ("words", "missing", "code", "made", "printed"),
    [
        ([], [], 0, True, ""),
        ([], MISSING, 0, True, "not set: release.toml: repository\nnot set: release.toml: registry\n"),
        (["--publish"], [], 0, True, ""),
        (["--publish"], MISSING[:1], 2, False, "error: not set: release.toml: repository\n"),
    ],
)
def test_only_a_publication_refuses(
    words: list[str],
    missing: list[str],
    code: int,
    made: bool,
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[tuple[Path, Path]] = []
    monkeypatch.setattr(build, "unset", lambda: missing)
    monkeypatch.setattr(build, "promises", dict)
    monkeypatch.setattr(build, "renewed", lambda kept: [])
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "make", lambda root, dist: calls.append((root, dist)))
    assert build.main(words) == code
    assert calls == ([(tmp_path, tmp_path / "dist")] if made else [])
    assert capsys.readouterr().err == printed


def test_nothing_is_made_while_a_promise_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "unset", list)
    monkeypatch.setattr(build, "promises", dict)
    monkeypatch.setattr(build, "renewed", lambda kept: ["exit codes: USAGE was 2, is 3"])
    monkeypatch.setattr(build, "make", pytest.fail)
    assert build.main([]) == 2
    assert capsys.readouterr().err == (
        "error: a promise is not kept: exit codes: USAGE was 2, is 3; `make promises` takes it back\n"
    )


def test_this_checkout_cannot_be_published_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--publish"]) == 2
    assert "error: not set: release.toml: repository\n" in capsys.readouterr().err


def test_make_passes_on_that_it_is_a_publication() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^release: .*\n\t.*tests\.support\.release\.build \$\(if \$\(PUBLISH\),--publish\)$", makefile, re.MULTILINE
    )


def test_what_the_preflight_leaves_out_is_locked() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = {name.replace("-", "_") for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    assert set(build.NOT_FOR_THE_PREFLIGHT) <= names


def test_without_its_tools_the_image_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    build.image(Tree(tmp_path, "1.0.0", 0, {}), tmp_path, tmp_path)
    reason = "this machine has no buildah and no mmdebstrap: apt-get install buildah mmdebstrap"
    assert capsys.readouterr().err == f"left out: the image; {reason}\n"
    assert [*tmp_path.iterdir()] == []
