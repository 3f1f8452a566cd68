"""A real kube-controller-manager for a test's API server, with three of its controllers or those that a test names.

With the three, deleted namespaces empty and go, dependants are collected after their owners, and Services with a
selector get EndpointSlices. It listens nowhere.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Part
from tests.testbed.process import Child

USER: Final = "system:kube-controller-manager"
CONTROLLERS: Final = ("namespace-controller", "garbage-collector-controller", "endpointslice-controller")
_FLAGS: Final = (
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

    def __init__(self, part: Part, api: ApiServer, folder: Path, controllers: Sequence[str] = CONTROLLERS) -> None:
        self._program, self._api, self._folder = part.tool("kube-controller-manager"), api, folder
        self._controllers = f"--controllers={','.join(controllers)}"

    def __enter__(self) -> Self:
        self._folder.mkdir()
        config = self._api.client(USER, "system:masters")
        argv: list[str | Path] = [self._program, f"--kubeconfig={config}", self._controllers, *_FLAGS]
        self.child = Child("kube-controller-manager", argv, self._folder / "kube-controller-manager.log")
        return self

    def __exit__(self, *_: object) -> None:
        self.child.stop()
