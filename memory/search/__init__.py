"""Reads by question: candidates from the database, gates and ranking from `memory.domain.ranking`."""
