"""Makes a plan real: the Northbound database (live, or as files), FRR's configuration, and what the API server records.

Every store shows only the rows that are ours and touches nothing else. A store never decides what should be there; it
receives operations, and applies all of them or none.
"""
