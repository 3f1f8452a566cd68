"""A real kube-controller-manager for a test's API server, with three of its controllers.

Deleted namespaces empty and go, dependants are collected after their owners, and Services with a selector get
EndpointSlices. It listens nowhere.
"""

from pathlib import Path
from typing import Final, Self

from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Part
from tests.testbed.process import Child

USER: Final = "system:kube-controller-manager"
CONTROLLERS: Final = ("namespace-controller", "garbage-collector-controller", "endpointslice-controller")
_FLAGS: Final = (
    f"--controllers={','.join(CONTROLLERS)}",
    "--leader-elect=false",
    "--use-service-account-credentials=false",
    "--secure-port=0",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
)


class ControllerManager:
    """kube-controller-manager while the context lasts; its log in `folder`.

    All controllers use its one certificate, whose group may do everything.
    """

    def __init__(self, part: Part, api: ApiServer, folder: Path) -> None:
        self._program, self._api, self._folder = part.tool("kube-controller-manager"), api, folder

    def __enter__(self) -> Self:
        self._folder.mkdir()
        config = self._api.client(USER, "system:masters")
        argv: list[str | Path] = [self._program, f"--kubeconfig={config}", *_FLAGS]
        self.child = Child("kube-controller-manager", argv, self._folder / "kube-controller-manager.log")
        return self

    def __exit__(self, *_: object) -> None:
        self.child.stop()
