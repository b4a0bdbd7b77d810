"""What a chat request asks for, in either dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.errors import InvalidInput

NATIVE_FIELDS = ("messages", "model", "space", "conversation_id", "memory", "user")
EXTENSIONS = ("space", "conversation_id", "memory")
MAX_LINE = 200
MOST_CHOICES = 128  # OpenAI's own limit; each is held until its answer has come


@dataclass(frozen=True)
class Call:
    """A parsed request. `body` is OpenAI's request for the model, our extensions taken out."""

    native: bool
    body: Mapping[str, Any] = field(repr=False)
    space: str | None = None
    conversation_id: str | None = None
    memory_on: bool = True

    @property
    def messages(self) -> Any:
        return self.body.get("messages")

    @property
    def model(self) -> str | None:
        return self.body.get("model")

    @property
    def user(self) -> object:
        return self.body.get("user")

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True


def native(body: Mapping[str, Any]) -> Call:
    """`POST /v1/chat`. The format is ours alone, so a field that is not known is a mistake."""
    _only(body, NATIVE_FIELDS, "")
    kept = {name: body[name] for name in ("messages", "model", "user") if body.get(name) is not None}
    return _call(True, kept, body, "")


def openai(body: Mapping[str, Any]) -> Call:
    """`POST /v1/chat/completions`. What we do not know is the provider's to judge."""
    given = body.get("caesar")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise InvalidInput("caesar is an object.")
    _only(given, EXTENSIONS, "caesar.")
    if not isinstance(body.get("stream"), bool | None):
        raise InvalidInput("stream is true or false.")
    if isinstance(body.get("n"), int | float) and body["n"] > MOST_CHOICES:
        raise InvalidInput(f"n, the number of answers, is at most {MOST_CHOICES}.")
    return _call(False, {name: value for name, value in body.items() if name != "caesar"}, given, "caesar.")


def _call(is_native: bool, body: Mapping[str, Any], extensions: Mapping[str, Any], prefix: str) -> Call:
    if not isinstance(body.get("model"), str | None):
        raise InvalidInput("model is a text.")
    memory = extensions.get("memory")
    if memory not in (None, "on", "off"):
        raise InvalidInput(f'{prefix}memory is "on" or "off".')
    return Call(
        native=is_native,
        body=body,
        space=_line(extensions, "space", prefix),
        conversation_id=_line(extensions, "conversation_id", prefix),
        memory_on=memory != "off",
    )


def _only(given: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
    if unknown := [name for name in given if name not in known]:
        named = ", ".join(f"{prefix}{name[:60]}" for name in unknown[:10])
        allowed = ", ".join(prefix + name for name in known)
        raise InvalidInput(f"Not a field of this request: {named}. There are {allowed}.")


def _line(given: Mapping[str, Any], name: str, prefix: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    text = value.strip() if isinstance(value, str) else ""
    if not 0 < len(text) <= MAX_LINE or not text.isprintable():
        raise InvalidInput(f"{prefix}{name} is a text of 1 to {MAX_LINE} characters in one line.")
    return text
