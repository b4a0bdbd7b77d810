"""Whatever a model answers, it is read or found to be nonsense, within bounds; nothing else happens."""

from __future__ import annotations

import json
import time
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.domain.reply import parse_reply
from memory.domain.types import Reply
from memory.errors import ModelNonsense

FIELDS = ("key", "value", "confidence", "category", "scope", "importance", "cardinality", "op", "stance", "quote")
ODD = st.sampled_from(
    [
        "",
        "\0",
        "a\0b",
        "\ud800",
        "95%",
        "NaN",
        "-1",
        "1e400",
        "null",
        "dog.name",
        "Beans",
        "set",
        "retract",
        "\u202e",
        "x" * 500,
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats() | ODD | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3), max_leaves=5
)
ENTRIES = st.dictionaries(st.sampled_from([*FIELDS, "valid_from", "x"]), VALUES, max_size=8) | VALUES
REPLIES = (
    st.fixed_dictionaries(
        {}, optional={"facts": st.lists(ENTRIES, max_size=5) | VALUES, "summary": VALUES, "x": VALUES}
    )
    | st.lists(ENTRIES, max_size=5)
    | st.fixed_dictionaries({"candidates": st.lists(ENTRIES, max_size=5)})
)
AROUND = st.sampled_from(
    ["", "```json\n", "\n```", "<think>", "</think>", "Sure! ", "{", "}", "[", "]", ",", "\\", '"', "//", "\0"]
)
MOST = 50


@st.composite
def written(draw: st.DrawFn) -> str:
    """A reply as a model might send it: wrapped, cut off, with a piece twice or one in the middle broken."""
    text = json.dumps(draw(REPLIES), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text[: draw(st.integers(0, len(text)))]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(AROUND) + text[place:]
    return draw(AROUND) + text + draw(AROUND)


def read(raw: str) -> Reply | None:
    try:
        return parse_reply(raw, max_facts=MOST)
    except ModelNonsense:
        return None


def is_sound(reply: Reply | None) -> None:
    if reply is None:
        return
    assert len(reply.proposals) <= MOST
    for each in reply.proposals:
        assert each.value.strip()
        assert "\0" not in each.value
        each.value.encode()
        assert each.confidence is None or 0 <= each.confidence <= 1
        assert each.importance is None or 0 <= each.importance <= 1


@settings(max_examples=600, deadline=None)
@given(raw=written())
def test_what_looks_like_a_reply_is_read_or_is_nonsense(raw: str) -> None:
    is_sound(read(raw))


@settings(max_examples=300, deadline=None)
@given(raw=st.text(max_size=200) | st.text(alphabet='{}[]",:\\ \n0x<>/', max_size=200))
@example(raw="[" * 5_000)
@example(raw='{"facts": ' * 2_000)
@example(raw='{"facts": [{"value": "' + "\\" * 5_000)
def test_what_looks_like_nothing_is_nonsense_or_read(raw: str) -> None:
    is_sound(read(raw))


@settings(max_examples=30, deadline=None)
@given(piece=written(), times=st.integers(500, 1_500))
def test_very_much_of_it_takes_no_more_than_its_share(piece: str, times: int) -> None:
    raw = (piece * times)[:400_000]
    begun = time.process_time()
    is_sound(read(raw))
    assert time.process_time() - begun < 5


def test_a_good_reply_comes_through_all_of_this() -> None:
    """Else the tests above would hold of a parser that reads nothing."""
    told: dict[str, Any] = {"facts": [{"key": "dog.name", "value": "Beans", "confidence": 0.9}], "summary": "Of a dog."}
    for raw in (json.dumps(told), f"```json\n{json.dumps(told)}\n```", f"<think>hm</think>{json.dumps(told)}"):
        reply = read(raw)
        assert reply is not None
        assert [each.value for each in reply.proposals] == ["Beans"]
