"""Reads a live cluster: a client that returns plain mappings, a list-watch cache per kind, and the ClusterView over
them.

Only `kubernetes_client` and `pod_exec` import the Kubernetes package; other modules use the interface in
`client_protocol`.
"""
