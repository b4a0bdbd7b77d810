"""What GET /v1/models lists: the models the operator configured. No provider is asked."""

from __future__ import annotations

from typing import Any

from memory.config import conf
from memory.errors import ModelMisconfigured
from memory.llm.embedding import choosing
from memory.llm.routing import configured_routes


def available_models() -> dict[str, Any]:
    """OpenAI's list. Each id can be sent back as `model`: of those that chat the default comes first; the last one
    makes embeddings."""
    data = [_model(route.identity, route.provider) for route in configured_routes(conf().llm)]
    try:
        embedder = choosing.configured()
        data.append(_model(embedder.listed, embedder.family))
    except ModelMisconfigured:  # /readyz says so
        pass
    return {"object": "list", "data": data}


def _model(name: str, owner: str) -> dict[str, Any]:
    # A model that is reached elsewhere has no date of birth we know of; clients only need the field.
    return {"id": name, "object": "model", "created": 0, "owned_by": owner}
