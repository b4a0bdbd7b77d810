"""The OpenAPI schema: what Django REST framework knows of, and the routes written down by hand beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

PROFILE = {"$ref": "#/components/parameters/Profile"}


@cache
def _by_hand() -> dict[str, Any]:
    text = Path(__file__).with_name("by_hand.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def add_by_hand(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """drf-spectacular's last step: adds the chat's and the health routes, and the profile's header to every route."""
    more = _by_hand()
    for operations in result["paths"].values():
        for operation in operations.values():
            operation.setdefault("parameters", []).append(PROFILE)
    paths = {**result["paths"], **more["paths"]}
    components = dict(result["components"])
    for kind, named in more["components"].items():
        components[kind] = dict(sorted({**components.get(kind, {}), **named}.items()))
    return {**result, "paths": dict(sorted(paths.items())), "components": components}
