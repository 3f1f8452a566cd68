"""`ovnguard-reconciler dns`: the names of a cluster whose user manages DNS."""
