"""Structural schemas: each module implements one step that the API server takes with a custom resource."""
