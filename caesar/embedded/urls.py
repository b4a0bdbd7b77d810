"""The URLs of the embedded services of a home. Nothing is started; a missing password is made."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from caesar.embedded import home as homes

DATABASE = "caesar"
LOGINS = {"service": "caesar_service", "owner": "caesar_owner", "superuser": "postgres"}


def service_url(home: Path) -> str:
    """What web and workers use."""
    return database_url(home, "service")


def owner_url(home: Path) -> str:
    """What `migrate` uses: the owner of the tables."""
    return database_url(home, "owner")


def database_url(home: Path, role: str, database: str = DATABASE) -> str:
    """`role` is service, owner or superuser."""
    password = homes.secret(home, password_file(role))
    return f"postgresql://{LOGINS[role]}:{password}@/{database}?host={quote(str(homes.sockets(home)))}"


def broker_url(home: Path) -> str:
    """In the form that Celery takes."""
    return f"redis+socket://{quote(str(broker_socket(home)))}?virtual_host=0"


def broker_socket(home: Path) -> Path:
    return homes.sockets(home) / "valkey.sock"


def password_file(role: str) -> str:
    """Where the password of a role is kept, seen from the home."""
    return f"postgres/{role}.password"
