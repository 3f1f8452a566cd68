"""Verdicts on objects by the API server's rules and the network designs, without a cluster.

The core (field, structural, cel, crd, verdict, network, admission) is pure: no files, no clock, no network.
Its rims are ``validators.cluster`` (reads a live cluster) and ``validators.cli`` (the preflight door).
"""
