"""`ovnguard-reconciler rollout`: the interconnect upgrade, shown, planned, explained and run."""
