"""User-managed DNS: the names that a cluster serves itself, the records that the user owes, and who does what when."""
