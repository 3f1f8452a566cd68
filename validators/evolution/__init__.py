"""What a new version of a definition changes: for the schema, and for the objects that are stored."""
