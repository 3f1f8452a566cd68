"""Manifests of a network and a node for the host commands."""

NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: worker-a
  annotations:
    k8s.ovn.org/node-id: "2"
    k8s.ovn.org/node-chassis-id: 6f766e67-0000-4000-8000-000000000001
    k8s.ovn.org/node-subnets: '{"default":["10.128.2.0/23"]}'
    k8s.ovn.org/l3-gateway-config: '{"default":{"mode":"local","bridge-id":"breth0","mac-address":"02:42:ac:12:00:02",
      "ip-addresses":["172.18.0.2/16"],"next-hops":["172.18.0.1"]}}'
"""

NETWORK = """\
apiVersion: operator.openshift.io/v1
kind: Network
metadata: {name: cluster}
spec:
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]
  serviceNetwork: [172.30.0.0/16]
  defaultNetwork:
    type: OVNKubernetes
    ovnKubernetesConfig: {mtu: 1400}
"""
