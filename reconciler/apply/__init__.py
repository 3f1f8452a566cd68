"""Applies a plan: to the Northbound database (live or as files), FRR's configuration, the node, and the API server.

Every store returns only ovnguard's rows and changes nothing else. A store never decides which rows should exist; it
receives operations, and applies all of them or none.
"""
