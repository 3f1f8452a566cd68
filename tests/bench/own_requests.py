"""The requests of our processes, by the audit log of the API server: kwok and the bench ask it far more."""

import json
from collections import Counter
from pathlib import Path
from typing import Final

_WRITES: Final = frozenset(("create", "update", "patch", "delete"))


class OwnRequests:
    """Counts the requests of the accounts in a namespace; a watch counts when it ends.

    ``flags`` are kube-apiserver's.
    """

    def __init__(self, folder: Path, namespace: str) -> None:
        folder.mkdir(parents=True)
        self._log = folder / "audit.log"
        self._read, self._counted = 0, Counter[str]()
        group, before_the_end = f"system:serviceaccounts:{namespace}", ["RequestReceived", "ResponseStarted"]
        ours = {"level": "Metadata", "userGroups": [group], "omitStages": before_the_end}
        policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [ours, {"level": "None"}]}
        # JSON is YAML, too
        (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
        self.flags = (f"--audit-policy-file={folder / 'policy.yaml'}", f"--audit-log-path={self._log}")

    def count(self) -> Counter[str]:
        """All requests so far, by verb and resource."""
        if self._log.exists():
            with self._log.open("rb") as log:
                log.seek(self._read)
                whole = log.read().rpartition(b"\n")[0]
            self._read += len(whole) + 1 if whole else 0
            self._counted.update(map(_kind, whole.splitlines()))
        return self._counted.copy()


def writes(kinds: Counter[str]) -> int:
    """How many of these requests write anything but Leases."""
    return sum(count for kind, count in kinds.items() if kind.split()[0] in _WRITES and not kind.endswith(" leases"))


def _kind(line: bytes) -> str:
    event = json.loads(line)
    about = event.get("objectRef", {})
    return f"{event['verb']} {about.get('resource', event['requestURI'])}"
