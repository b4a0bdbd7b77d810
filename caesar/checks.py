"""What an operator should know before others reach the installation: `manage.py check --deploy`."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from caesar.config import Config


@register("security", deploy=True)
def reached_safely(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Keys and what people say go over a network by HTTPS alone."""
    config: Config = settings.CAESAR
    found: list[CheckMessage] = []
    if config.public_url.startswith("http://"):
        found.append(
            Warning(
                "CAESAR_PUBLIC_URL is not HTTPS: keys and chats can be read on the way.",
                hint="Put a proxy with TLS in front; deploy/Caddyfile is one.",
                id="caesar.W001",
            )
        )
    if not config.public_url and not _is_loopback(config.host):
        found.append(
            Warning(
                f"CAESAR_HOST={config.host} listens on a network, without TLS.",
                hint="Listen on 127.0.0.1 behind a proxy with TLS, and set CAESAR_PUBLIC_URL.",
                id="caesar.W002",
            )
        )
    if "*" in config.hosts:
        found.append(
            Warning(
                "CAESAR_ALLOWED_HOSTS serves any name: a page of somebody else's can point its own at this machine.",
                hint="Name those that are served.",
                id="caesar.W003",
            )
        )
    if any(
        ipaddress.ip_network(each.strip(), strict=False).prefixlen == 0
        for each in config.trusted_proxies.split(",")
        if each.strip()
    ):
        found.append(
            Warning(
                "CAESAR_TRUSTED_PROXIES believes everyone: anybody may claim to be at any address.",
                hint="Name the addresses of your proxies.",
                id="caesar.W004",
            )
        )
    return found


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
