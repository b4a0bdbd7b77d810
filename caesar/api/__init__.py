"""The REST API: each view parses, makes one call into memory, and presents what came of it."""
