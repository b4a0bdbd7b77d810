"""What a request for embeddings asks for. Nothing of what it says is put into an error but its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesar.embeddings.answer import BASE64, ENCODINGS
from memory.errors import InvalidInput
from memory.llm.embedding.serving import Asked

MOST_INPUTS = 2048  # OpenAI's own limit
MOST_CHARACTERS = 100_000
MOST_TOKENS = 32_000
MOST_NUMBERS = 10_000
_LARGEST_TOKEN = 2**31
_OURS = frozenset({"input", "model", "dimensions", "encoding_format", "caesar"})


def read(body: Mapping[str, Any]) -> tuple[Asked, bool]:
    """The request, and whether its vectors are to come as base64. Raises InvalidInput."""
    for name in ("model", "user"):
        if not isinstance(body.get(name), str | None):
            raise InvalidInput(f"{name} is a text.")
    encoding = body.get("encoding_format")
    if encoding is not None and encoding not in ENCODINGS:
        raise InvalidInput("encoding_format is float or base64.")
    more = {name: value for name, value in body.items() if name not in _OURS}
    asked = Asked(_inputs(body.get("input")), body.get("model"), _dimensions(body.get("dimensions")), more)
    return asked, encoding == BASE64


def _dimensions(value: Any) -> int | None:
    if value is None:
        return None
    if not _is_whole(value) or not 1 <= value <= MOST_NUMBERS:
        raise InvalidInput(f"dimensions is a whole number from 1 to {MOST_NUMBERS}.")
    return int(value)


def _inputs(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [_text(value, "input")]
    if not isinstance(value, list) or not value:
        raise InvalidInput("input is a text, a list of texts, or tokens as lists of whole numbers; it is not empty.")
    if all(_is_whole(each) for each in value):
        return [_tokens(value, "input")]
    if len(value) > MOST_INPUTS:
        raise InvalidInput(f"input has {len(value)} texts; a request takes at most {MOST_INPUTS}.")
    kinds = {type(each) for each in value}
    if kinds == {str}:
        return [_text(each, f"input[{place}]") for place, each in enumerate(value)]
    if kinds == {list}:
        return [_tokens(each, f"input[{place}]") for place, each in enumerate(value)]
    raise InvalidInput("input is a list of texts alone, or of lists of tokens alone.")


def _text(text: str, where: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(f"{where} has {len(text)} characters; a text has at most {MOST_CHARACTERS}.")
    if not text.replace("\0", " ").strip():
        raise InvalidInput(f"{where} is blank: a text without words has no vector.")
    return text


def _tokens(tokens: list[Any], where: str) -> list[int]:
    if not tokens:
        raise InvalidInput(f"{where} is empty.")
    if len(tokens) > MOST_TOKENS:
        raise InvalidInput(f"{where} has {len(tokens)} tokens; a text has at most {MOST_TOKENS}.")
    if not all(_is_whole(each) and 0 <= each < _LARGEST_TOKEN for each in tokens):
        raise InvalidInput(f"{where} holds something that is no token: tokens are whole numbers.")
    return tokens


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
