"""What a request for embeddings may say."""

from __future__ import annotations

from typing import Any

import pytest

from caesar.embeddings import request
from memory.errors import InvalidInput

BLANK = "is blank: a text without words has no vector."
KINDS = "input is a list of texts alone, or of lists of tokens alone."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "input is a text, a list of texts, or tokens as lists of whole numbers; it is not empty."),
        ({"input": None}, "it is not empty"),
        ({"input": []}, "it is not empty"),
        ({"input": {}}, "input is a text"),
        ({"input": 5}, "input is a text"),
        ({"input": True}, "input is a text"),
        ({"input": ""}, f"input {BLANK}"),
        ({"input": " \n\0\t"}, f"input {BLANK}"),
        ({"input": ["a", ""]}, rf"input\[1\] {BLANK}"),
        ({"input": ["a", None]}, KINDS),
        ({"input": ["a", 1]}, KINDS),
        ({"input": [1, "a"]}, KINDS),
        ({"input": [1.5]}, KINDS),
        ({"input": [True]}, KINDS),
        ({"input": [[1], "a"]}, KINDS),
        ({"input": [{"text": "a"}]}, KINDS),
        ({"input": [[1], []]}, r"input\[1\] is empty\."),
        ({"input": [[1], [-1]]}, r"input\[1\] holds something that is no token"),
        ({"input": [[1, "a"]]}, r"input\[0\] holds something that is no token"),
        ({"input": [[1, True]]}, r"input\[0\] holds something that is no token"),
        ({"input": [2**40]}, "input holds something that is no token"),
        ({"input": [1] * 32_001}, "input has 32001 tokens; a text has at most 32000."),
        ({"input": ["a"] * 10_000}, "input has 10000 texts; a request takes at most 2048."),
        ({"input": "x" * 100_001}, "input has 100001 characters; a text has at most 100000."),
        ({"input": "a", "model": 5}, "model is a text."),
        ({"input": "a", "user": ["bert"]}, "user is a text."),
        ({"input": "a", "encoding_format": "int8"}, "encoding_format is float or base64."),
        ({"input": "a", "encoding_format": ["float"]}, "encoding_format is float or base64."),
        *(
            ({"input": "a", "dimensions": wrong}, "dimensions is a whole number from 1 to 10000.")
            for wrong in (0, -1, 1.5, "64", True, 10_001, 10**30)
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_meant_is_said_in_a_sentence(body: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        request.read(body)


def test_what_openai_takes_is_taken() -> None:
    for given, inputs in (
        ("a", ["a"]),
        (["a", "b"], ["a", "b"]),
        ([1, 2], [[1, 2]]),
        ([[1], [2]], [[1], [2]]),
    ):
        asked, as_base64 = request.read({"input": given, "model": "m", "dimensions": 8, "encoding_format": "base64"})
        assert (asked.inputs, asked.model, asked.dimensions, as_base64) == (inputs, "m", 8, True)


def test_what_it_does_not_know_is_the_providers_to_judge() -> None:
    asked, _ = request.read({"input": "a", "user": "u", "input_type": "query", "caesar": {"space": "x"}})
    assert asked.more == {"user": "u", "input_type": "query"}


def test_no_text_stands_in_a_repr() -> None:
    asked, _ = request.read({"input": ["my secret"], "x": "my secret"})
    assert "secret" not in repr(asked)
