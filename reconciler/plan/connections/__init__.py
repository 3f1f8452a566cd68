"""Connections between networks: what is recorded of ClusterNetworkConnects, their rows, and where these belong."""
