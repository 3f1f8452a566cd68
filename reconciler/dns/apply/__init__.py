"""User-managed DNS: lookups, and the files of CoreDNS on a node."""
