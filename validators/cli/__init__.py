"""The preflight door: manifests in, findings and an exit code out."""
