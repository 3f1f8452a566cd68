"""A Layer3 network of which no node has subnets: `plan` guesses and marks them, what goes to nodes has no guesses."""

import json
import re
import shutil
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.commands.manifests import read_manifests
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.validators.manifest.sources import read_sources
from tests.support.paths import ROOT
from tests.support.reconciler_cli import INVALID, NO_SERVICES, NODES, VALID, WORKERS, plan, run
from tests.unit.reconciler.plan.render.test_page import Document

GREEN = f"{VALID}/green-layer3.yaml"
ALONE = ("-f", GREEN, "--nodes", NODES)
GUESS = "note: host subnets of cluster_udn_green are a guess, the next free ones; OVN-Kubernetes may allocate others"
WAITING = "note: network cluster_udn_green, node worker-a: waiting for k8s.ovn.org/node-subnets (and 2 more)"
README = (ROOT / "README.md").read_text(encoding="utf-8")
NO_OVERLAY = "    transport: NoOverlay\n    noOverlay:\n      outboundSNAT: Enabled\n      routing: Managed\n"
SUBNETS = {"worker-a": ["10.40.0.0/24"], "worker-b": ["10.40.1.0/24"], "worker-c": ["10.40.2.0/24"]}


def remarks(text: str) -> list[str]:
    """The lines without those about rules that were not checked."""
    return [line for line in text.splitlines() if "not checked" not in line]


def test_the_command_of_the_readme_plans_every_example() -> None:
    (words,) = re.findall(r"^ovnguard-reconciler plan (-f deploy/examples/valid \S+ \S+)  ", README, re.MULTILINE)
    done = run("plan", *(ROOT / word if "/" in word else word for word in words.split()))
    assert done.code == 0
    assert "network cluster_udn_green: 53 to add, 0 to change, 0 to destroy on each of 3 nodes\n" in done.out
    assert (
        done.out.splitlines()[-1]
        == "Plan: 489 to add, 0 to change, 0 to destroy on 3 nodes; FRR configuration of 3 nodes"
    )
    assert done.err.count("guess") == 1
    assert GUESS in done.err.splitlines()


def test_text_marks_guessed_numbers() -> None:
    done = plan(*ALONE, "--node", "worker-b", "-v")
    assert (done.code, remarks(done.err)) == (0, [NO_SERVICES, GUESS])
    start = done.out.index("    + Logical_Switch cluster_udn_green_worker-b\n")
    assert done.out[start:].startswith(
        "    + Logical_Switch cluster_udn_green_worker-b\n"
        "        acls: [acl to-lport 1001 ip4.src==10.40.1.2 (guess)]\n"
        "        load_balancer_group: [cluster_udn_green_clusterLBGroup, cluster_udn_green_clusterSwitchLBGroup]\n"
        "        other_config:subnet: 10.40.1.0/24 (guess)\n"
    )
    route = "    + Logical_Router_Static_Route cluster_udn_green_ovn_cluster_router route 10.40.2.0/24 (guess) dst-ip\n"
    assert route in done.out
    assert "        addresses: [0a:58:0a:28:01:02 (guess) 10.40.1.2 (guess)]\n" in done.out
    assert not re.search(r"10\.40\.[012]\.\d+(/24)?(?! \(guess\))[],\n ]", done.out.replace("10.40.0.0/16", ""))


def test_a_page_marks_guessed_numbers() -> None:
    text = "".join(Document(plan(*ALONE, "-o", "html").out).texts)
    assert GUESS.removeprefix("note: ") in text
    assert "other_config:subnet: 10.40.1.0/24 (guess)" in text
    assert "rtos-cluster_udn_green_worker-b 0a:58:0a:28:01:01 (guess) 10.40.1.1/24 (guess)" in text
    assert "After a number, (guess) says that the cluster has not allocated it yet." in text


def test_a_picture_marks_guessed_numbers() -> None:
    out = plan(*ALONE, "-o", "svg").out
    assert ">10.40.1.0/24 (guess)<" in out
    assert ">gateway 10.40.1.1 (guess)<" in out


def test_json_names_guesses_and_the_columns_that_contain_them() -> None:
    value = json.loads(plan(*ALONE, "-o", "json").out)
    assert (value["guessed"], value["not_planned"]) == ({"cluster_udn_green": SUBNETS}, [])
    steps = value["nodes"]["worker-b"]["operations"]
    marked = {(each["table"], *each["guessed"]) for each in steps if "guessed" in each}
    assert marked == {
        ("Logical_Router_Port", "mac", "networks"),
        ("Logical_Router_Static_Route", "external_ids", "ip_prefix"),
        ("Logical_Router_Policy", "nexthops"),
        ("NAT", "external_ids", "logical_ip", "match"),
        ("ACL", "external_ids", "match"),
        ("Logical_Switch_Port", "addresses"),
        ("Logical_Switch", "other_config"),
    }


def test_yaml_marks_lines_with_guessed_numbers(tmp_path: Path) -> None:
    text = Path(GREEN).read_text().replace("    layer3:", f"{NO_OVERLAY}    layer3:")
    (tmp_path / "green.yaml").write_text(text)
    done = plan("-f", tmp_path, "-f", f"{VALID}/default-network.yaml", "--nodes", NODES, "-o", "yaml")
    assert (done.code, GUESS in done.err.splitlines()) == (0, True)
    numbers = [line.strip() for line in done.out.splitlines() if re.search(r"10\.40\.[012]\.0/24", line)]
    assert set(numbers) == {f'"10.40.{number}.0/24"  # (guess)' for number in range(3)}
    (tmp_path / "objects.yaml").write_text(done.out)
    assert {each.value["kind"] for each in read_sources([str(tmp_path / "objects.yaml")]).documents} >= {
        "FRRConfiguration"
    }


@pytest.mark.parametrize("output", ["nbctl", "frr", "host"])
def test_what_goes_to_a_node_leaves_the_network_out(output: str) -> None:
    done = plan(*ALONE, "-o", output)
    assert done.code == 1
    assert "green" not in done.out
    assert remarks(done.err) == [
        f"note: 1 network not planned: -o {output} contains no guesses, "
        "and no node has host subnets of cluster_udn_green",
        NO_SERVICES,
        WAITING,
    ]


def test_a_proposed_network_is_left_out_of_files_too() -> None:
    live = ("-f", f"{VALID}/blue-layer2.yaml", "--nodes", NODES)
    done = plan(*live, "--change", GREEN, "-o", "host")
    assert (done.code, "10.40." in done.out) == (1, False)
    assert "note: 1 network not planned: -o host contains no guesses, and no node has host subnets of" in done.err


def test_a_store_gets_no_guess(tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store")
    shown = "Plan: no changes; 1 network not planned"
    for command, last in (("plan", shown), ("diff", shown), ("apply", "no changes; 1 network not planned")):
        done = run(command, *ALONE, *store)
        assert (command, done.code, done.out) == (command, 1, f"{last}\n")
        assert remarks(done.err) == [NO_SERVICES, WAITING]
    assert all(not FileStore(tmp_path / "store").read(node) for node in WORKERS)
    done = run("apply", *ALONE, "-f", f"{VALID}/blue-layer2.yaml", *store)
    assert (done.code, done.out.splitlines()[-2:]) == (
        1,
        [
            "Plan: 177 to add, 0 to change, 0 to destroy on 3 nodes; 1 network not planned",
            "Applied: 177 added, 0 changed, 0 destroyed on 3 nodes; 1 network not planned",
        ],
    )


def test_only_plan_guesses() -> None:
    """Every other command plans manifests as they are read."""
    planned = plan_manifests(read_manifests([GREEN], [NODES]), {})
    assert (planned.guesses.subnets, planned.unplanned) == ({}, ("cluster_udn_green",))


def test_recorded_subnets_are_no_guess(tmp_path: Path) -> None:
    shutil.copytree(NODES, tmp_path / "nodes")
    file = tmp_path / "nodes/worker-b.yaml"
    recorded = '"default":["10.128.2.0/23"]'
    assert recorded in file.read_text()
    file.write_text(file.read_text().replace(recorded, f'{recorded},"cluster_udn_green":["10.40.7.0/24"]'))
    done = plan("-f", GREEN, "--nodes", tmp_path / "nodes", "-o", "json")
    value = json.loads(done.out)
    assert (done.code, value["guessed"], value["not_planned"]) == (0, {}, [])
    assert WAITING.removeprefix("note: ").replace("2 more", "1 more") in value["notes"]


def test_every_network_that_is_not_planned_counts(tmp_path: Path) -> None:
    """A refused one, and one on nodes that nobody knows yet; not one that no node uses."""
    for node in WORKERS:
        (tmp_path / f"{node}.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
        )
    refused = f"{INVALID}/join-overlap.yaml"
    done = plan("-f", GREEN, "-f", refused, "--nodes", tmp_path)
    assert (done.code, done.out.splitlines()[-1]) == (1, "Plan: no changes; 2 networks not planned")
    idle = plan(*ALONE, "--enable-dynamic-udn-allocation")
    assert (idle.code, idle.out.splitlines()[-1]) == (0, "Plan: no changes")


def test_one_note_names_all_guesses(tmp_path: Path) -> None:
    text = Path(GREEN).read_text()
    for number in range(5):
        changed = text.replace("green", f"n{number}").replace("10.40.", f"10.{40 + number}.")
        (tmp_path / f"n{number}.yaml").write_text(changed)
    done = plan("-f", tmp_path, "--nodes", NODES)
    names = ", ".join(f"cluster_udn_n{number}" for number in range(3))
    note = (
        f"note: host subnets of {names} and 2 more are a guess, the next free ones; OVN-Kubernetes may allocate others"
    )
    assert [line for line in done.err.splitlines() if "guess" in line] == [note]
