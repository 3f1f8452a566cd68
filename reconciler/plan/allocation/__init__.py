"""What nodes, networks and pods are given, as functions of what is recorded already.

Nothing here remembers anything: whoever calls records what comes back (annotations of nodes and pods), and calling
again with the records gives the same. So a crash at any moment loses nothing, and running out is a value with the
numbers in it. Network ids and tunnel keys: `reconciler.plan.network_ids`; join, transit and masquerade addresses
follow from ids (`validators.network.addresses.addressing`).
"""
