"""Writers of a preflight's findings: one per format, none of them decides anything."""
