"""Allocations for nodes, networks and pods, as functions of the recorded ones.

These functions have no state: the caller records the results (annotations of nodes and pods), and a call with these
records returns the same. So a crash at any moment loses nothing. Exhaustion is an error value that contains the
numbers. Network ids and tunnel keys: `reconciler.plan.network_ids`; join, transit and masquerade addresses follow from
ids (`validators.network.addresses.addressing`).
"""
