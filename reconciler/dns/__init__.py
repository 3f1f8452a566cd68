"""User-managed DNS: the plan of records and files, what applies it, the loops and the commands."""
