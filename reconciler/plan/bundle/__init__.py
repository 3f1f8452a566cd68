"""What a bundle keeps of a cluster: fields of objects, under other names and addresses if asked."""
