"""Every setting of the installation, typed and validated. `.env.example` is made from this file.

Read from the environment and from `.env`; the environment wins. Each secret may instead be given as
`<NAME>_FILE`, the path of a file that holds it.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from memory.config import LLM, Memory, Section, Semantic

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "CAESAR_"
HSTS_SECONDS = 365 * 24 * 3600
SECRETS = (
    "CAESAR_DATABASE_URL",
    "CAESAR_DATABASE_OWNER_URL",
    "CAESAR_BROKER_URL",
    "CAESAR_SECRET_KEY",
    "CAESAR_API_KEY",
    "CAESAR_DASHBOARD__TOKEN",
    "CAESAR_METRICS_TOKEN",
    "CAESAR_LLM__ANTHROPIC__API_KEY",
    "CAESAR_LLM__OPENAI__API_KEY",
    "CAESAR_SEMANTIC__VOYAGE_API_KEY",
)
ADDRESS = re.compile(r"https?://[^\s/?#@]+(/[A-Za-z0-9._~-]+)*")
WEAK = {"", "change-me", "changeme", "test", "secret", "password", "default", "null", "undefined", "none"}


class WrongSetting(Exception):
    """A setting cannot be used. The message is one sentence per wrong value that says what to do."""


def not_guessable(value: SecretStr) -> SecretStr:
    """Nothing that opens a door may stand in a README."""
    text = value.get_secret_value()
    if text and (text.strip().lower() in WEAK or len(text) < 16):
        raise ValueError("must be at least 16 characters that nobody can guess, or be left out")
    return value


def _is_port(parts: SplitResult) -> bool:
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


class Dashboard(Section):
    token: SecretStr = Field(SecretStr(""), description="A fixed token to log in to the dashboard with.")

    @field_validator("token")
    @classmethod
    def _not_guessable(cls, value: SecretStr) -> SecretStr:
        return not_guessable(value)


class Config(BaseSettings):
    """All settings in force."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="ignore", validate_default=True
    )

    home: Path = Field(ROOT / "var", description="Where state lives: database, broker, keys, logs.")
    host: str = Field("127.0.0.1", description="Address the web server listens on.")
    port: int = Field(8000, ge=1, le=65535, description="Port the web server listens on.")
    database_url: SecretStr = Field(SecretStr(""), description="PostgreSQL 18 with pgvector; unset = embedded.")
    database_owner_url: SecretStr = Field(
        SecretStr(""),
        description="The login that owns the tables, used by `migrate` alone; unset = the same.",
    )
    broker_url: SecretStr = Field(SecretStr(""), description="Redis-compatible broker; unset = embedded.")
    secret_key: SecretStr = Field(SecretStr(""), description="Signs sessions; unset = made once and kept in the home.")
    public_url: str = Field(
        "",
        description="Where browsers and programs reach it through a proxy, such as https://memory.example.org, with "
        "the path under which the proxy offers it, if any; unset = the address it listens on.",
    )
    trusted_proxies: str = Field(
        "127.0.0.1",
        description="Addresses or networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, "
        "with commas.",
    )
    allowed_hosts: str = Field("localhost,127.0.0.1,[::1]", description="Host names served, with commas.")
    api_key: SecretStr = Field(SecretStr(""), description="A fixed first API key (at least 16 characters).")
    metrics_token: SecretStr = Field(SecretStr(""), description="Bearer token for /metrics; unset = any API key.")
    worker_concurrency: int = Field(16, ge=1, le=256, description="Threads of the worker that `up` starts.")
    max_request_bytes: int = Field(20_000_000, ge=10_000, description="Largest request body that is taken.")
    rate_limit_per_minute: int = Field(
        30_000, ge=0, le=10_000_000, description="Requests that a key may make in a minute; 0 = as many as it likes."
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: Literal["text", "json"] = Field("text", description="text, or json: one object per line.")
    otlp_endpoint: str = Field(
        "", description="Where traces are sent (OTLP over HTTP), such as http://127.0.0.1:4318; unset = nowhere."
    )
    dashboard: Dashboard = Field(default_factory=Dashboard)
    llm: LLM = Field(default_factory=LLM)
    semantic: Semantic = Field(default_factory=Semantic)
    memory: Memory = Field(default_factory=Memory)

    @field_validator("home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return (value if value.is_absolute() else ROOT / value).resolve()

    @field_validator("secret_key", "api_key", "metrics_token")
    @classmethod
    def _not_guessable(cls, value: SecretStr) -> SecretStr:
        return not_guessable(value)

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        level = value.strip().upper()
        if level not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return level

    @field_validator("public_url", "otlp_endpoint")
    @classmethod
    def _address(cls, value: str) -> str:
        """An http address without anything behind its path."""
        text = value.strip().rstrip("/")
        parts = urlsplit(text)
        if text and not (ADDRESS.fullmatch(text) and parts.hostname and _is_port(parts)):
            raise ValueError("must look like https://memory.example.org or https://example.org/path")
        return text

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        for each in filter(None, map(str.strip, value.split(","))):
            ipaddress.ip_network(each, strict=False)
        return value

    @property
    def hosts(self) -> list[str]:
        """The names that are served."""
        names = [host.strip() for host in self.allowed_hosts.split(",") if host.strip()]
        public = urlsplit(self.public_url).hostname
        return names if not public or public in names else [*names, f"[{public}]" if ":" in public else public]

    @property
    def path_prefix(self) -> str:
        """The path of the public address, with its slash in front; empty where there is none."""
        return urlsplit(self.public_url).path

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        from pydantic_settings import EnvSettingsSource

        class Merged(EnvSettingsSource):
            """The environment over `.env`, with secrets read from their files."""

            def _load_env_vars(self) -> Mapping[str, str | None]:
                return {name.lower(): value for name, value in environment().items()}

        return init_settings, Merged(settings_cls)


def environment() -> dict[str, str]:
    """`CAESAR_` variables from `.env` and the environment, `<NAME>_FILE` replaced by the file's content."""
    from dotenv import dotenv_values

    dotenv = ROOT / ".env" if "CAESAR_ENV_FILE" not in os.environ else Path(os.environ["CAESAR_ENV_FILE"])
    found = {k: v for k, v in dotenv_values(dotenv).items() if k.startswith(PREFIX) and v is not None}
    found |= {k: v for k, v in os.environ.items() if k.startswith(PREFIX)}
    for name in SECRETS:
        path = found.pop(name + "_FILE", "")
        if path and not found.get(name):
            try:
                found[name] = Path(path).read_text().strip()
            except (OSError, UnicodeDecodeError) as error:
                raise WrongSetting(f"{name}_FILE: the file {path} cannot be read ({error}).") from error
    return {name: value for name, value in found.items() if value != ""}


def load() -> Config:
    """Validate the environment. Raises WrongSetting with a sentence per wrong value."""
    try:
        return Config()
    except ValidationError as error:
        raise WrongSetting("\n".join(_sentence(e) for e in error.errors())) from None
    except Exception as error:  # a JSON value that is no JSON
        if type(error).__name__ != "SettingsError":
            raise
        name = re.search(r'field "(\w+)"', str(error))
        where = PREFIX + (name.group(1).upper() if name else "LLM__TASK_ROUTING")
        raise WrongSetting(f"{where}: its value is not valid JSON.") from None


def _sentence(error: Any) -> str:
    name = PREFIX + "__".join(str(part).upper() for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{name} is not a setting; see .env.example for all names."
    message = error["msg"].removeprefix("Value error, ")
    return f"{name}: {message[0].lower()}{message[1:]}."


@cache
def config() -> Config:
    """The settings in force in this process."""
    return load()
