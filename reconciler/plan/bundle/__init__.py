"""What a bundle keeps of a cluster: fields of objects."""
