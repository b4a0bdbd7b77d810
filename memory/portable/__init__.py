"""A person's memory in files: their own export, and what other products export."""
