"""What every process of the reconciler has: its lifecycle, Lease, Events, metrics, probes and logs."""
