"""The installed package; its parts are links to `crd_schemas`, `reconciler`, `validators` and `webhook`."""
