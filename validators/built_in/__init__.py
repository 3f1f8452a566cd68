"""The kinds built into the API server: decodes their objects as its decoder does, and validates nothing else.

Source: the OpenAPI v3 documents and Go types of each release, as `python -m tests.support.built_in_types` writes them.
"""
