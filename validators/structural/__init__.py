"""Structural schemas: each module implements one step of the API server's processing of a custom resource."""
