"""How this process reaches PostgreSQL."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from caesar.config import Config, WrongSetting
from caesar.embedded import urls

# Where the network drops everything without a word, a connection is given up in about fifteen seconds.
CUT_OFF = {"keepalives_idle": 5, "keepalives_interval": 3, "keepalives_count": 3, "tcp_user_timeout": 15_000}


def service_url(config: Config) -> str:
    """The login that web and workers use."""
    return config.database_url.get_secret_value() or urls.service_url(config.home)


def owner_url(config: Config) -> str:
    """The login that owns the tables; only `migrate` uses it."""
    given = config.database_owner_url.get_secret_value() or config.database_url.get_secret_value()
    return given or urls.owner_url(config.home)


def broker_url(config: Config) -> str:
    return config.broker_url.get_secret_value() or urls.broker_url(config.home)


def connection_settings(config: Config, *, pool: bool, url: str | None = None) -> dict[str, Any]:
    """Django's settings for one database URL.

    Raises WrongSetting where the URL is none of PostgreSQL.
    """
    parts = urlsplit(url or service_url(config))
    if parts.scheme not in ("postgres", "postgresql"):
        raise WrongSetting("CAESAR_DATABASE_URL: must look like postgresql://user:password@host:5432/name.")
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    options: dict[str, Any] = {k: v for k, v in query.items() if k != "host"}
    options["connect_timeout"] = int(options.get("connect_timeout", 5))
    options = {"application_name": "caesar", **CUT_OFF, **options}
    if pool:
        # As many stay open as the chat's threads use at once, so that no chat waits for a log-in.
        # A lost server is looked for again by whoever asks, not after waits that double.
        options["pool"] = {"min_size": 8, "max_size": 24, "timeout": 5, "reconnect_timeout": 2}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "caesar",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.get("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        "CONN_MAX_AGE": 0 if pool else None,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": True,
    }
