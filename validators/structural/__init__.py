"""Structural schemas: one module for each step that the API server takes with a custom resource."""
