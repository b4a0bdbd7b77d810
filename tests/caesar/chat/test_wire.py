"""JSON in and out."""

from __future__ import annotations

import json

import pytest

from caesar.chat import wire
from memory.errors import InvalidInput


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"nonsense", "not JSON"),
        (b'{"a": 1}{', "not JSON"),
        (b"[]", "JSON object"),
        (b"null", "JSON object"),
        (b'"text"', "JSON object"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 41 + b"}", "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too large"),
        (b'{"a": "\\ud83d"}', "surrogate"),
        (b'{"\\udc00": 1}', "surrogate"),
        (b'{"a": ' + b"[" * 101 + b"]" * 101 + b"}", "nested"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested"),
        (b'{"a": [' + b"[]," * 500_001 + b"[]]}", "values"),
    ],
)
def test_it_refuses_what_is_no_request_with_a_sentence(raw: bytes, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        wire.parse(raw)


def test_it_takes_what_is_unusual_but_right() -> None:
    raw = b'\xef\xbb\xbf{"a": "\\ud83d\\ude00 \\u0000", "b": [1.5, 10, null]}'
    assert wire.parse(raw) == {"a": "\U0001f600 \x00", "b": [1.5, 10, None]}


def test_it_writes_valid_json_whatever_a_provider_sent() -> None:
    assert json.loads(wire.dumps({"a": float("nan"), "b": [float("inf"), "\ud83d"]})) == {
        "a": None,
        "b": [None, "\ud83d"],
    }
    assert wire.dumps({"a": "Zoë"}) == '{"a":"Zoë"}'.encode()
