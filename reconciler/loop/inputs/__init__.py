"""What the loops read of the cluster, and their verdicts about it."""
