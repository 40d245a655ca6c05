"""Files of a person as text: what they are, how they are read, and ranges of them."""
