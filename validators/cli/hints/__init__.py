"""What the author of a manifest probably meant, in sentences that name the dotted path to write."""
