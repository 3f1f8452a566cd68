"""Checks of a CustomResourceDefinition and of its schemas."""
