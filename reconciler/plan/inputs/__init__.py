"""What a plan reads of the objects of a cluster: networks, nodes, attachments, records and uplinks."""
