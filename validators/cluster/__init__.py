"""Reads a live cluster: a client for plain mappings, a list-watch cache per kind, and the ClusterView over them.

Only `client` knows the Kubernetes package; who needs no cluster never imports it. Everybody else speaks to `api`.
"""
