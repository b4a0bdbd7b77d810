"""What GET /v1/models lists: the models the operator configured. No provider is asked."""

from __future__ import annotations

from typing import Any

from memory.config import conf
from memory.llm.routing import configured_routes


def available_models() -> dict[str, Any]:
    """OpenAI's list. Each id can be sent back as `model`; the default comes first."""
    data = [
        # A model that is reached elsewhere has no date of birth we know of; clients only need the field.
        {"id": route.identity, "object": "model", "created": 0, "owned_by": route.provider}
        for route in configured_routes(conf().llm)
    ]
    return {"object": "list", "data": data}
