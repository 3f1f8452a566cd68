"""``explain``: what a rule, a field or a keyword of a schema demands, with an example each way."""
