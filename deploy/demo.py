"""The way of a network through ovnguard, shown on deploy/examples: verdict, admission, plan, apply.

Runs the three executables as a user does, on loopback and in temporary folders only. Each step makes one claim, prints
the evidence and fails unless the evidence proves the claim. Long documents go into a folder that is kept. V=1 prints
them too.
"""

import base64
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.request
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jsonpatch import apply_patch

from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.manifest.sources import read_sources

ROOT = Path(__file__).resolve().parent.parent
VALID, INVALID, NODES = (f"deploy/examples/{name}" for name in ("valid", "invalid", "nodes"))
REFUSED = f"{INVALID}/transport-changed.yaml"
NETWORKS = ("-f", VALID, "--nodes", NODES)
# Those whose host subnets the nodes record: nothing is applied to a node on a guess.
RECORDED = ("-f", f"{VALID}/blue-layer2.yaml", "-f", f"{VALID}/default-network.yaml")
BIN = Path(sys.executable).parent
CALLED = {"kubectl-ovn_preflight": "kubectl ovn-preflight"}
NEXT = (
    ".venv/bin/kubectl-ovn_preflight --help     judge manifests of your own",
    ".venv/bin/ovnguard-reconciler plan --help  plan for nodes of your own",
    "make test                                  run every test on real OVN, FRR, etcd and kube-apiserver",
)


class Demo:
    """Prints the steps, keeps their documents in ``folder`` and remembers what was proved."""

    def __init__(self, folder: Path, scratch: Path, *, verbose: bool) -> None:
        self.folder = folder
        self.scratch = scratch
        self.verbose = verbose
        self._claims: list[tuple[str, str]] = []

    def claim(self, text: str) -> None:
        """Begin a step."""
        self._claims.append((text, ""))
        print(f"\n{len(self._claims)}. {text}", flush=True)

    def proved(self, text: str) -> None:
        """End a step."""
        self._claims[-1] = (self._claims[-1][0], text)
        print(f"   proved: {text}", flush=True)

    def show(self, lines: Iterable[str]) -> None:
        """Print lines of evidence."""
        for line in lines:
            print(f"   {line}", flush=True)

    def keep(self, name: str, text: str, *, shown: bool = True) -> str:
        """Write a long document into the folder, with V=1 print it if it is ``shown``, and return how to name it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        if self.verbose and shown:
            self.show([f"---- {name}", *text.splitlines(), "----"])
        return f"{name} ({len(text.splitlines())} lines)"

    def run(self, program: str, *arguments: str, expect: int = 0, show: bool = True) -> str:
        """Run one of the executables, print the call, and return its standard output."""
        if show:
            called = " ".join([CALLED.get(program, program), *arguments])
            self.show([f"$ {called.replace(str(self.scratch), 'SCRATCH')}"])
        done = subprocess.run(  # noqa: S603 - our own program
            [str(BIN / program), *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        check(done.returncode == expect, f"{program} exits with {expect}, not {done.returncode}: {done.stderr}")
        return done.stdout

    def close(self) -> None:
        """Print the table of claims and what to do next."""
        width = max(len(claim) for claim, _ in self._claims)
        print("\nclaims proved on this machine, without a cluster, OVN or FRR:")
        self.show(f"{claim:<{width}}  {proof}" for claim, proof in self._claims)
        print(f"documents: {self.folder}\nnext:")
        self.show(NEXT)


def main() -> None:
    """Run every step in order."""
    os.chdir(ROOT)
    folder = Path(tempfile.mkdtemp(prefix="ovnguard-demo-"))
    with tempfile.TemporaryDirectory(prefix="ovnguard-scratch-") as scratch:
        demo = Demo(folder, Path(scratch), verbose=bool(os.environ.get("V")))
        preflight(demo)
        webhook(demo)
        plan(demo)
        apply(demo)
    demo.close()


def preflight(demo: Demo) -> None:
    """Judge the examples before anybody applies them, and explain a refusal."""
    demo.claim("preflight accepts sound networks")
    out = demo.run("kubectl-ovn_preflight", VALID, "--inventory", NODES)
    demo.show(out.splitlines()[:1])
    demo.proved(f"{len(manifests(VALID))} of {len(manifests(VALID))} manifests accepted")

    demo.claim("preflight refuses networks and changes that cannot work")
    demo.show(demo.run("kubectl-ovn_preflight", "-q", REFUSED, expect=1).splitlines())
    text = demo.run("kubectl-ovn_preflight", INVALID, expect=1, show=False)
    demo.show([f"all refusals: {demo.keep('refused.txt', text)}"])
    report = json.loads(demo.run("kubectl-ovn_preflight", INVALID, "-o", "json", expect=1, show=False))
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    files = manifests(INVALID)
    check({error["file"] for error in errors} == files, "every invalid manifest is refused")
    demo.proved(f"{len(files)} of {len(files)} invalid manifests refused, each with file, line and rule id")

    demo.claim("every refusal is explained")
    known = next(error["rule"] for error in errors if error["file"] == f"{INVALID}/join-overlap.yaml")
    lines = demo.run("kubectl-ovn_preflight", "explain", known).splitlines()
    demo.show([lines[0], *(line for line in lines if line.startswith(("What to do:", "Design:", "Source:")))])
    rules = {error["rule"] for error in errors if error["rule"]}
    demo.run("kubectl-ovn_preflight", "explain", *sorted(rules), show=False)
    demo.proved(f"{len(rules)} of {len(rules)} rules that refused are explained, with source lines")


def manifests(folder: str) -> set[str]:
    """Return the manifests of a folder, without the old objects of updates."""
    return {str(file) for file in Path(folder).glob("*.yaml") if not file.stem.endswith(".old")}


def webhook(demo: Demo) -> None:
    """Send the same objects to the webhook, as an API server does."""
    demo.claim("the webhook gives the API server the same verdicts")
    answers: list[str] = []
    allowed = denied = 0
    with served(demo.scratch / "certificates") as (url, trust):
        demo.show([f"$ ovnguard-webhook serve --port 0 --self-signed SCRATCH/certificates  ({url})"])
        for document in read_sources([VALID, INVALID]).documents:
            lines, verdict = reviewed(url, trust, document)
            allowed, denied = allowed + verdict, denied + (not verdict)
            answers += lines
            demo.show(line for line in lines if "/mutate" in line)
            if document.file == REFUSED:
                demo.show(lines[:2])
    demo.show([f"all answers: {demo.keep('admission.txt', chr(10).join(answers) + chr(10))}"])
    demo.proved(f"{allowed} allowed, {denied} denied over TLS, as preflight does")


@contextmanager
def served(certificates: Path) -> Iterator[tuple[str, ssl.SSLContext]]:
    """The webhook as a child process; stopped at the end."""
    command = [str(BIN / "ovnguard-webhook"), "serve", "--port", "0", "--self-signed", str(certificates)]
    command += ["--manifests", VALID, "--manifests", NODES]
    with (certificates.parent / "webhook.log").open("wb") as log:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)  # noqa: S603 - our own program
    try:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        check(url.startswith("https://"), f"the webhook starts; its log: {Path(log.name).read_text()[-2000:]}")
        yield url, ssl.create_default_context(cafile=str(certificates / "ca.crt"))
    finally:
        child.terminate()
        child.wait(timeout=10)


def reviewed(url: str, trust: ssl.SSLContext, document: Document) -> tuple[list[str], bool]:
    """Ask /mutate, then /validate about the mutated object; return lines on both answers, and whether it is allowed."""
    operation = "UPDATE" if document.old else "CREATE"
    name = f"{operation} {document.identity.kind} {document.identity.name}"
    obj, lines = document.value, []
    answer = review(url + "/mutate", trust, operation, obj, document.old)
    if answer.get("patch"):
        patch = json.loads(base64.b64decode(answer["patch"]))
        lines += [f"/mutate   {name}: {step['op']} {step['path']} {json.dumps(step.get('value'))}" for step in patch]
        obj = apply_patch(obj, patch)
    answer = review(url + "/validate", trust, operation, obj, document.old)
    lines.append(f"/validate {name}: {'allowed' if answer['allowed'] else 'denied'}  ({document.file})")
    for cause in answer.get("status", {}).get("details", {}).get("causes", []):
        lines.append(f"  {cause['field']}: {cause['message']}")
    check(answer["allowed"] is document.file.startswith(VALID), f"{document.file} is judged as in preflight")
    return lines, answer["allowed"]


def review(
    url: str, trust: ssl.SSLContext, operation: str, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Send one AdmissionReview and return its response."""
    group, _, version = obj["apiVersion"].rpartition("/")
    request = {
        "uid": str(uuid.uuid4()),
        "kind": {"group": group, "version": version, "kind": obj["kind"]},
        "resource": {"group": group, "version": version, "resource": obj["kind"].lower() + "s"},
        "name": obj["metadata"]["name"],
        "operation": operation,
        "userInfo": {"username": "demo"},
        "object": obj,
        "oldObject": old,
        "dryRun": False,
        "options": {},
    }
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    call = urllib.request.Request(  # noqa: S310 - an https URL of our own child
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(call, context=trust, timeout=10) as reply:  # noqa: S310 - as above
        response: dict[str, Any] = json.load(reply)["response"]
    check(response["uid"] == request["uid"], "the answer carries the uid of its request")
    return response


def plan(demo: Demo) -> None:
    """Show what the accepted networks become in OVN and FRR."""
    demo.claim("the plan can be read before anything is written")
    out = demo.run("ovnguard-reconciler", "plan", *NETWORKS)
    lines = out.splitlines()
    demo.show(line for line in lines if not line.startswith(" "))
    rows = demo.run("ovnguard-reconciler", "plan", *NETWORKS, "-v", show=False)
    demo.show([f"every row: {demo.keep('rows.txt', rows)}"])
    check(lines[-1].startswith("Plan: "), "the last line counts the changes")
    page = demo.run("ovnguard-reconciler", "plan", *NETWORKS, "-o", "html")
    demo.keep("plan.html", page, shown=False)
    demo.show([f"to look at: file://{demo.folder / 'plan.html'}"])
    demo.proved(f"{lines[-1].removeprefix('Plan: ').partition(';')[0]}, nothing written")

    demo.claim("managed BGP becomes an FRR full mesh")
    text = demo.run("ovnguard-reconciler", "plan", *RECORDED, "--nodes", NODES, "-o", "frr")
    documents = [part.partition("\n") for part in text.split("! ---- ")[1:]]
    wanted = ("router bgp", "  neighbor", "    network")
    demo.show(line for line in documents[0][2].splitlines() if line.startswith(wanted) and "activate" not in line)
    kept = [demo.keep(f"frr-{node}.conf", f"{conf.strip()}\n") for node, _, conf in documents]
    demo.show([", ".join(kept)])
    peers = [conf.count(" remote-as ") for _, _, conf in documents]
    check(peers == [len(documents) - 1] * len(documents), "each node peers with every other")
    demo.proved(f"each of {len(documents)} nodes peers with the {len(documents) - 1} others")


def apply(demo: Demo) -> None:
    """Apply the plan to the file-backed store, twice, and once more with a node less."""
    demo.claim("applying the plan again changes nothing")
    store = ("--store", str(demo.scratch / "store"))
    demo.show(demo.run("ovnguard-reconciler", "apply", *RECORDED, "--nodes", NODES, *store).splitlines()[-1:])
    again = demo.run("ovnguard-reconciler", "apply", *RECORDED, "--nodes", NODES, *store)
    demo.show(again.splitlines()[-1:])
    check("no changes" in again, "the second apply reports no changes")
    demo.proved("the second apply finds no changes")

    demo.claim("a node that leaves changes only what names it")
    fewer = demo.scratch / "nodes"
    shutil.copytree(NODES, fewer)
    (fewer / "worker-c.yaml").unlink()
    text = demo.run("ovnguard-reconciler", "apply", *RECORDED, "--nodes", str(fewer), *store)
    demo.show(line for line in text.splitlines() if not line.startswith(" "))
    gone = demo.keep("node-leaves.txt", text)
    demo.show([f"every change: {gone}"])
    check("no changes" not in text, "a node less is a difference")
    demo.proved("worker-c loses its rows, the others their ports and routes to it")


def check(condition: bool, expectation: str) -> None:
    """End the demo when the evidence does not prove the claim."""
    if not condition:
        sys.exit(f"demo: expected that {expectation}")


if __name__ == "__main__":
    main()
