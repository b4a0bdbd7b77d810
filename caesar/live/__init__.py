"""Tells open pages that something happened, so that they look again. No content goes this way."""
