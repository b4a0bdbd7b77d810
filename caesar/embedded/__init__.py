"""PostgreSQL and a Redis-compatible broker as real servers, kept under CAESAR_HOME.

`postgres.running(directory)` and `valkey.running(directory)` serve a `with` block; `up` runs the same servers
as children of its supervisor.
"""
