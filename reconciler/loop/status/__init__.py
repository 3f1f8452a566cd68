"""What a zone reports, and what the leader makes of reports: conditions and their texts."""
