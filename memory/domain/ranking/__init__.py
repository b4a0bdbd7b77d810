"""What a question brings up, and in which order: pure functions over candidates."""
