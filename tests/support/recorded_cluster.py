"""The objects that carry the options of a recording in a cluster: two ConfigMaps and the DaemonSet of ovnkube.

The command line is in a script that the container of the DaemonSet sources, as with OpenShift: some words stand
in a variable that an `if` above decides, some come from the environment of the container.
"""

from collections.abc import Iterator
from typing import Any

_NO_OVERLAY = "[default]\ntransport=no-overlay\n[no-overlay]\noutbound-snat={}\nrouting={}\n"
_SCRIPT = """\
#!/bin/bash
set -x
start-ovnkube-node()
{{
  local log_level=$1

  if [[ $# -ne 1 ]]; then
    echo "Expected one argument but got $#"
    exit 1
  fi

  if [ "{mode}" == "shared" ]; then
    gateway_mode_flags="--gateway-mode shared --gateway-interface br-ex"
  elif [ "{mode}" == "local" ]; then
    gateway_mode_flags="--gateway-mode local --gateway-interface br-ex"
  else
    exit 1
  fi

  route_advertisements_enable_flag=
  if [[ "{advertises}" == "true" ]]; then
    route_advertisements_enable_flag="--enable-route-advertisements"
  fi

  feature_flags=
  if [[ -n "${{FEATURES}}" ]]; then
    feature_flags="${{FEATURES}}"
  fi

  exec /usr/bin/ovnkube \\
    --init-ovnkube-controller "${{K8S_NODE}}" \\
    --init-node "${{K8S_NODE}}" \\
    --config-file=/run/ovnkube-config/ovnkube.conf \\
    --loglevel "${{log_level}}" \\
    ${{gateway_mode_flags}} \\
    ${{route_advertisements_enable_flag}} \\
    ${{feature_flags}} \\
    {features}
}}
"""


def recorded_cluster(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Every object of a recording, with those that hold its options."""
    return [*ovnkube_objects(data), data["operator"], *data["inputs"]]


def ovnkube_objects(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The ConfigMaps and the DaemonSet of a recording's configuration."""
    config, spec = data["config"], data["operator"]["spec"]
    features = config.get("features", [])
    half = len(features) // 2
    text = _SCRIPT.format(
        mode=config["mode"],
        advertises=str(bool(config.get("advertise") or config.get("no_overlay"))).lower(),
        features=" ".join(features[half:]),
    )
    file = "\n".join(config.get("conf", []))
    if config.get("no_overlay"):
        file = _NO_OVERLAY.format(*config["no_overlay"]) + file
    subnets = ",".join(f"{each['cidr']}/{each['hostPrefix']}" for each in spec["clusterNetwork"])
    file += f'\n[default]\nmtu="1400"\ncluster-subnets="{subnets}"\n'
    file += f'[kubernetes]\nservice-cidrs="{",".join(spec["serviceNetwork"])}"\n'
    file += f"[gateway]\nmode={config['mode']}\nnodeport=true\n"
    namespace = config.get("ovn_namespace", "ovn-kubernetes")
    yield _object("v1", "ConfigMap", "ovnkube-script-lib", namespace, data={"ovnkube-lib.sh": text})
    yield _object("v1", "ConfigMap", "ovnkube-config", namespace, data={"ovnkube.conf": file})
    container = {
        "name": "ovnkube-controller",
        "command": ["/bin/bash", "-c", "set -xe\n. /ovnkube-lib/ovnkube-lib.sh || exit 1\nstart-ovnkube-node 4\n"],
        "env": [
            {"name": "FEATURES", "value": " ".join(features[:half])},
            {"name": "K8S_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ],
    }
    pods = {"template": {"spec": {"containers": [container]}}}
    yield _object("apps/v1", "DaemonSet", "ovnkube-node", namespace, spec=pods)


def _object(version: str, kind: str, name: str, namespace: str, **content: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **content}
