"""What the first start makes inside the database: the operator, their profile, their API key."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from caesar.config import Config
from caesar.embedded import home
from caesar.up.banner import address, curl_line

KEY_FILE = "api-key"


@dataclass(frozen=True)
class Prepared:
    """What the banner tells. `first`: the operator was made now."""

    first: bool
    key_file: Path
    login_url: str
    curl: str


def pending_migrations() -> bool:
    """Whether `migrate` has anything to do."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    finally:
        connection.close()


def prepare(config: Config) -> Prepared:
    """Make the operator and a working API key as far as they are missing. The tables are there already."""
    from django.db import connection

    from caesar.login import tokens
    from memory import profiles

    try:
        operator = profiles.ensure_operator()
        key_file = _ensure_key(config, operator.user_id)
        login_path = tokens.make(operator.user_id)
    finally:
        connection.close()
    return Prepared(
        first=operator.made,
        key_file=key_file,
        login_url=address(config).rstrip("/") + login_path,
        curl=curl_line(config, key_file),
    )


def _ensure_key(config: Config, user_id: int) -> Path:
    """A file with a key that works."""
    from memory import apikeys
    from memory.errors import Conflict

    path = config.home / KEY_FILE
    fixed = config.api_key.get_secret_value()
    kept = path.read_text().strip() if path.exists() else ""
    key = fixed or kept or _new_key()
    if apikeys.authenticate(key) is None:
        try:
            apikeys.create(user_id=user_id, name="first key", raw=key)
        except Conflict:  # it was revoked
            if fixed:
                raise Conflict("CAESAR_API_KEY is a key that was revoked: set another one, or none.") from None
            key = _new_key()
            apikeys.create(user_id=user_id, name="first key", raw=key)
    if key != kept:
        home.write_private(path, key + "\n")
    return path


def _new_key() -> str:
    from memory import apikeys

    return apikeys.PREFIX + secrets.token_urlsafe(32)
