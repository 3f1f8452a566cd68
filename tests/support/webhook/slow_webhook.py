"""ovnguard-webhook whose verdicts on objects with the label ``slow`` take longer than an alert permits."""

import time

from ovnguard.validators.admission import Judgement, Request
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.webhook.admission.served_judge import ServedJudge
from ovnguard.webhook.cli import main

_judge = ServedJudge.__call__


def _slowly(self: ServedJudge, request: Request, view: ClusterView) -> Judgement:
    if "slow" in ((request.object or {}).get("metadata", {}).get("labels") or {}):
        time.sleep(1.5)
    return _judge(self, request, view)


if __name__ == "__main__":
    ServedJudge.__call__ = _slowly  # type: ignore[method-assign]
    main()
