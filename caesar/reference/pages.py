"""All pages of the reference, by the names of their files."""

from __future__ import annotations

from caesar.reference import api, commands, events, metrics, settings


def all_pages() -> dict[str, str]:
    """Every page as it should stand in docs/reference."""
    return {
        "settings.md": settings.page(),
        "api.md": api.page(),
        "events.md": events.page(),
        "metrics.md": metrics.page(),
        "commands.md": commands.page(),
    }
