"""Everything the admin shows. Loaded once all apps are there."""

from caesar.admin import audit, conversations, entities, facts, people, vectors, work

__all__ = ["audit", "conversations", "entities", "facts", "people", "vectors", "work"]
