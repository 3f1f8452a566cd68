"""Rollouts that hang: ten minutes without a change."""

from dataclasses import replace

import pytest

from ovnguard.reconciler.rollout.plan.hanging import PATIENCE, Progress, unfinished
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

NODE = Workload("DaemonSet", "ns", "ovnkube-node", desired=6, updated=4, available=4, unavailable=2)
NAME = "DaemonSet ovnkube-node"


def test_a_rollout_hangs_ten_minutes_after_its_last_change():
    progress = Progress().after([NODE], 1000.0)
    assert progress.due(1000.0) == PATIENCE
    progress = progress.after([NODE], 1600.0)
    assert (progress.hung(1600.0), progress.hung(1601.0)) == (frozenset(), {NAME})
    moved = progress.after([replace(NODE, updated=5)], 1700.0)
    assert (moved.hung(1701.0), moved.since()) == (frozenset(), 1700.0)
    done = replace(NODE, updated=6, available=6, unavailable=0)
    assert moved.after([done], 1800.0) == Progress()
    assert Progress().due(0.0) is None
    assert Progress().since() is None


def test_a_marked_rollout_still_hangs_for_the_next_leader():
    """The mark lets the upgrade go on without the last node: to take it away would stop it again."""
    marked = replace(NODE, updated=5, available=5, unavailable=1, hung=True)
    assert not marked.progressing
    assert unfinished(marked)
    assert Progress().after([marked], 1000.0).hung(1000.0) == {NAME}
    assert Progress({NAME: ("0/6/4/4/2", 400.0)}).after([marked], 1000.0).hung(1000.0) == frozenset()


def test_the_next_leader_reads_what_the_last_one_wrote():
    progress = Progress().after([NODE], 1000.0)
    assert Progress.read(progress.text, 1100.0) == progress
    assert Progress().text == ""


def test_what_is_said_has_the_object_the_numbers_and_the_time_of_the_last_change():
    master = Workload("DaemonSet", "ns", "ovnkube-master", desired=3, updated=1)
    progress = Progress().after([NODE], 1000.0).after([NODE, master], 1500.0)
    assert progress.hung_texts([NODE, master], 1600.0) == ()
    assert progress.hung_texts([NODE, master], 1601.0) == (
        'DaemonSet "ns/ovnkube-node" rollout is not making progress - last change 1970-01-01T00:16:40Z '
        "(4 of 6 updated, 4 of 6 available)",
    )


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "[]", "null", "3", '{"a": 1}',
        '{"a": ["x"]}', '{"a": [1, 2]}', '{"a": ["x", "y"]}', '{"a": ["x", true]}',
        '{"a": ["x", -1]}', '{"a": ["x", NaN]}', '{"a": ["x", 1e999]}', '{"a": ["x", 2000]}',
        "[" * 5000, '{"a": ["x", 1]}' + " " * 5000,
    ],
)  # fmt: skip
def test_a_text_of_somebody_else_counts_as_none(text):
    assert Progress.read(text, 1000.0) == Progress()
