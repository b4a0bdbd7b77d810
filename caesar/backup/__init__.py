"""Backups: one file with all that people have told, checked by reading it back, and the way to a new installation."""
