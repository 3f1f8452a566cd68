"""The way of a network through ovnguard, shown on deploy/examples: verdict, admission, plan, apply.

Runs the three executables as a user would, on loopback and in a temporary folder only, and fails loudly when one of
them does not do what the text beside it says.
"""

import base64
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import textwrap
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from validators.manifest.sources import Document, read_sources

ROOT = Path(__file__).resolve().parent.parent
VALID, INVALID, NODES = (f"deploy/examples/{name}" for name in ("valid", "invalid", "nodes"))
BIN = Path(sys.executable).parent


def main() -> None:
    """Run every step in order."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="ovnguard-demo-") as scratch:
        preflight()
        webhook(Path(scratch))
        plan()
        apply(Path(scratch))
    title("Done", "Everything above ran on this machine alone: no cluster, no OVN, no FRR. Read on in README.md.")


def preflight() -> None:
    """Judge the examples before anybody applies them."""
    title(
        "1. Preflight: three networks that may exist",
        "The default network without an overlay, a Layer2 network over the default transit subnet, a Layer3 network.",
    )
    run("kubectl-ovn_preflight", VALID, "--inventory", NODES)
    title(
        "2. Preflight: networks and changes that must not",
        "NAME.old.yaml beside NAME.yaml is the object as it is today; the pair is judged as an update.",
    )
    run("kubectl-ovn_preflight", INVALID, expect=1)
    report = json.loads(run("kubectl-ovn_preflight", INVALID, "-o", "json", expect=1, show=False))
    denied = {finding["file"] for finding in report["findings"] if finding["severity"] == "error"}
    files = {str(file) for file in Path(INVALID).glob("*.yaml") if not file.stem.endswith(".old")}
    check(denied == files, f"every invalid manifest is refused, not so: {sorted(files - denied)}")


def webhook(scratch: Path) -> None:
    """Send the same objects to the webhook, as an API server would."""
    title(
        "3. The webhook: the same verdict for the API server",
        "AdmissionReview v1 over TLS on a free loopback port, with certificates made a moment ago.",
    )
    with served(scratch / "certificates") as (url, trust):
        for document in read_sources([VALID, INVALID]).documents:
            show_review(url, trust, document)
    print("\nThe webhook is stopped.")


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
        print(f"serving at {url}\n")
        yield url, ssl.create_default_context(cafile=str(certificates / "ca.crt"))
    finally:
        child.terminate()
        child.wait(timeout=10)


def show_review(url: str, trust: ssl.SSLContext, document: Document) -> None:
    """Ask /mutate, then /validate about what mutation left, and print both answers."""
    operation = "UPDATE" if document.old else "CREATE"
    obj, identity = document.value, document.identity
    print(f"{operation} {identity.kind} {identity.name}  ({document.file})")
    answer = review(url + "/mutate", trust, operation, obj, document.old)
    if answer.get("patch"):
        patch = json.loads(base64.b64decode(answer["patch"]))
        print(textwrap.indent("mutate: JSON Patch " + json.dumps(patch, indent=2), "  "))
        obj = json.loads(json.dumps(obj))
        for step in patch:
            apply_add(obj, step)
    answer = review(url + "/validate", trust, operation, obj, document.old)
    print("  validate: " + ("allowed" if answer["allowed"] else "denied"))
    for cause in answer.get("status", {}).get("details", {}).get("causes", []):
        print(f"    {cause['field']}: {cause['message']}")
    expected = document.file.startswith(VALID)
    check(answer["allowed"] is expected, f"{document.file} is {'allowed' if expected else 'denied'}")


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


def apply_add(obj: dict[str, Any], step: dict[str, Any]) -> None:
    """Apply one 'add' or 'replace' of a JSON Patch, as the API server does."""
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]]
    for part in path:
        obj = obj[part]
    obj[last] = step["value"]


def plan() -> None:
    """Print what the accepted networks mean for OVN and FRR."""
    title(
        "4. The plan: what the accepted networks become on three nodes",
        "Rows for the Northbound database and an FRR configuration for each node; nothing is written yet.",
    )
    run("ovnguard-reconciler", "plan", "-f", VALID, "--nodes", NODES, notes=True)
    title("5. FRR on every node", "The managed full mesh of the default network.")
    run("ovnguard-reconciler", "plan", "-f", VALID, "--nodes", NODES, "-o", "frr")
    title("6. The topology as a picture", "Mermaid text: paste it where Mermaid is drawn.")
    run("ovnguard-reconciler", "plan", "-f", VALID, "--nodes", NODES, "-o", "mermaid")


def apply(scratch: Path) -> None:
    """Apply the plan to the file-backed store, twice, and once more with a node less."""
    store = str(scratch / "store")
    title("7. Apply to the file-backed store", "Where OVN is installed, --nb-db writes into the real database instead.")
    run("ovnguard-reconciler", "apply", "-f", VALID, "--nodes", NODES, "--store", store)
    title("8. Apply again", "The store already is what the plan wants.")
    text = run("ovnguard-reconciler", "apply", "-f", VALID, "--nodes", NODES, "--store", store)
    check("no changes" in text, "the second apply reports no changes")
    title("9. One node moves away", "worker-c is gone: only what spoke of it changes on the others.")
    fewer = scratch / "nodes"
    shutil.copytree(NODES, fewer)
    (fewer / "worker-c.yaml").unlink()
    text = run("ovnguard-reconciler", "apply", "-f", VALID, "--nodes", str(fewer), "--store", store)
    check("no changes" not in text, "a node less is a difference")


def title(text: str, explanation: str) -> None:
    """Print a heading and the paragraph under it."""
    print(f"\n{text}\n{'=' * len(text)}\n{explanation}\n", flush=True)


def run(program: str, *arguments: str, expect: int = 0, show: bool = True, notes: bool = False) -> str:
    """Run one of our executables, print the call and what it says, and return its output.

    ``notes`` also shows what it remarks on stderr; once is enough for the same manifests.
    """
    if show:
        print("$ " + " ".join([program.replace("kubectl-ovn_preflight", "kubectl ovn-preflight"), *arguments]))
    done = subprocess.run(  # noqa: S603 - our own program
        [str(BIN / program), *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    if show:
        print((done.stderr if notes else "") + done.stdout, end="", flush=True)
    check(done.returncode == expect, f"{program} exits {expect}, not {done.returncode}: {done.stderr}")
    return done.stdout


def check(condition: bool, expectation: str) -> None:
    """End the demo when something is not as its text says."""
    if not condition:
        sys.exit(f"demo: expected that {expectation}")


if __name__ == "__main__":
    main()
