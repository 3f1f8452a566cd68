"""Runs of the preflight in this process."""

import io
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Final, NamedTuple
from unittest import mock

import jsonschema

from ovnguard.validators.cli.preflight import preflight
from tests.support.paths import ROOT

VALID: Final = "deploy/examples/valid/green-layer3.yaml"
UDN: Final = """
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: %s}
spec: {topology: Layer2, layer2: {role: %s, subnets: [10.45.0.0/16]}}
"""
NO_OVERLAY: Final = """apiVersion: operator.openshift.io/v1
kind: Network
metadata:
  name: cluster
spec:
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]
  serviceNetwork: [172.30.0.0/16]
  additionalRoutingCapabilities: {providers: [FRR]}
  defaultNetwork:
    type: OVNKubernetes
    ovnKubernetesConfig:
      routeAdvertisements: Enabled
      transport: NoOverlay
      noOverlayConfig: {outboundSNAT: Enabled, routing: Managed}
      bgpManagedConfig: {bgpTopology: FullMesh}
"""
_PROGRESS: Final = re.compile(r"judged \d+ of \d+ objects \.\.\.\n")


class Result(NamedTuple):
    return_value: int
    stdout: str
    stderr: str


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    raw = stdin if isinstance(stdin, bytes) else (stdin or "").encode()
    stdin_file = io.TextIOWrapper(io.BytesIO(raw))
    with (
        mock.patch.object(sys, "stdin", stdin_file),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        code = preflight(arguments)
    # a busy machine is slow enough for lines of progress
    lines = (line for line in err.getvalue().splitlines(keepends=True) if not _PROGRESS.fullmatch(line))
    return Result(code, out.getvalue(), "".join(lines))


def report(*arguments: str, stdin: str | None = None) -> tuple[int, dict]:
    result = run(*arguments, "-o", "json", stdin=stdin)
    assert result.stderr == ""
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs/schemas/report-v1.json").read_text()))
    return result.return_value, document


def unchecked_of(document: dict) -> list[str]:
    """The notes of a report about rules that were not checked."""
    return [each["message"] for each in document["findings"] if each["message"].startswith("not checked")]


def widgets(schema: str) -> str:
    """The manifest of a cluster-scoped definition of widgets.example.com with a schema in flow style."""
    return f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Cluster
  names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, properties: {schema}}}}}
"""
