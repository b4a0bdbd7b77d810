"""`.env.example`, made from the settings by `make reference`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from caesar.config import PREFIX, ROOT, SECRETS, Config

HEADER = """\
Settings. Copy to .env and change what you need; everything may stay as it is.
The environment wins over this file. Each secret (marked so) may instead be given as <NAME>_FILE, the path of
a file that holds it. A wrong value stops the start with a sentence that says what to do."""


def text() -> str:
    """The whole file: every setting with what it is for, commented out, at its default."""
    lines = [f"# {line}" for line in HEADER.splitlines()]
    for name, field in fields():
        about = (field.description or "") + (" Secret." if name in SECRETS else "")
        lines += ["", *(f"# {line}" for line in textwrap.wrap(about, 110)), f"#{name}={default_of(field)}"]
    return "\n".join(lines) + "\n"


def fields(model: type[BaseModel] = Config, prefix: str = PREFIX) -> Iterator[tuple[str, FieldInfo]]:
    """Every setting by its environment name."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from fields(kind, f"{prefix}{name.upper()}__")
        else:
            yield prefix + name.upper(), field


def default_of(field: FieldInfo) -> str:
    """The default as it would be written."""
    return _written(field.get_default(call_default_factory=True))


def _written(value: Any) -> str:
    if value is None or value is PydanticUndefined:
        return ""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Path):
        return str(value.relative_to(ROOT)) if value.is_relative_to(ROOT) else str(value)
    return json.dumps(value) if isinstance(value, dict | list) else str(value)
