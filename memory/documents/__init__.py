"""Documents that a person gives: converted to text in a process of its own, read like a chat, found again, removed."""
