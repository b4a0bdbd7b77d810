"""Whose call it is, told from the pieces in which it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from caesar.chat.tool_sort import Sorter
from memory.semantic_tool import NAME


def chunk(*calls: dict[str, Any], reason: str | None = None, **delta: Any) -> dict[str, Any]:
    given = {**delta, "tool_calls": list(calls)} if calls else delta
    return {"id": "c", "choices": [{"index": 0, "delta": given, "finish_reason": reason}]}


def piece(index: int | None, name: str | None = None, arguments: str | None = None, **rest: Any) -> dict[str, Any]:
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    return {**({} if index is None else {"index": index}), **rest, "function": function}


def passed(chunks: Sequence[dict[str, Any]], sorter: Sorter | None = None) -> list[list[tuple[int, str, str]]]:
    """Chunk by chunk, (index, name, arguments) of each piece that is passed on."""
    sorter = sorter or Sorter()
    shown = [sorter.feed(one) for one in chunks]
    return [
        [
            (call["index"], call["function"].get("name") or "", call["function"].get("arguments") or "")
            for choice in (one or {"choices": []})["choices"]
            for call in choice["delta"].get("tool_calls") or ()
        ]
        for one in shown
    ]


MAP = "semmap"
END = chunk(reason="tool_calls")
OURS = [piece(0, NAME, "", id="s"), piece(0, None, '{"query":'), piece(0, None, '"x"}')]


def test_ours_is_swallowed_and_the_end_with_it() -> None:
    sorter = Sorter()
    assert passed([*map(chunk, OURS), END], sorter) == [[], [], [], []]
    assert sorter.held_reason == "tool_calls"


def test_a_clients_is_passed_on_at_its_first_piece() -> None:
    sorter = Sorter()
    theirs = [piece(0, "weather", "", id="w"), piece(0, None, "{"), piece(0, None, "}")]
    assert passed([*map(chunk, theirs), END], sorter) == [[(0, "weather", "")], [(0, "", "{")], [(0, "", "}")], []]
    assert sorter.held_reason is None


def test_the_clients_are_numbered_without_gaps() -> None:
    calls = [piece(0, NAME, "{}"), piece(1, "a", "{}"), piece(2, NAME, "{}"), piece(3, "b", ""), piece(3, None, "{}")]
    assert passed([chunk(*calls)]) == [[(0, "a", "{}"), (1, "b", ""), (1, "", "{}")]]


@pytest.mark.parametrize(
    ("pieces", "shown"),  # each inner list: what is passed on at that piece, the last one at the end
    [
        ([piece(0, "sem"), piece(0, "antic_recall"), piece(0, None, "{}")], [[], [], [], []]),
        ([piece(0, None, None, id="x"), piece(0, NAME, "{}")], [[], [], []]),
        ([piece(0, "sem"), piece(0, "map", "{"), piece(0, None, "}")], [[], [(0, MAP, "{")], [(0, "", "}")], []]),
        ([piece(0, NAME), piece(0, "_2"), piece(0, None, "{}")], [[], [(0, NAME + "_2", "")], [(0, "", "{}")], []]),
        ([piece(0, "sem"), piece(0, None, "{}")], [[], [(0, "sem", "{}")], []]),
        ([piece(0, "sem")], [[], [(0, "sem", "")]]),
    ],
)  # fmt: skip
def test_a_name_in_pieces_waits_until_it_tells(
    pieces: list[dict[str, Any]], shown: list[list[tuple[int, str, str]]]
) -> None:
    assert passed([*map(chunk, pieces), END]) == shown


def test_servers_that_number_nothing_or_everything_alike() -> None:
    whole = [piece(None, NAME, "{}", id="s"), piece(None, "a", "{}", id="a"), piece(None, "b", "{}", id="b")]
    assert passed([chunk(*whole)]) == [[(0, "a", "{}"), (1, "b", "{}")]]
    alike = [piece(0, NAME, "{}", id="s"), piece(0, "a", "{}", id="a"), piece(0, NAME, "{}", id="t")]
    assert passed([chunk(*alike)]) == [[(0, "a", "{}")]]


def test_text_passes_through_and_who_speaks_is_said_by_others() -> None:
    sorter = Sorter(opening=True)
    first = sorter.feed(chunk(role="assistant", content=""))
    assert first is not None
    assert first["choices"][0]["delta"] == {"content": ""}
    assert sorter.feed(chunk(role="assistant", content="")) is None
    text = sorter.feed(chunk(piece(0, NAME, "{}"), content="Hi"))
    assert text is not None
    assert text["choices"][0]["delta"] == {"content": "Hi"}


def test_an_end_without_any_call_passes_on() -> None:
    sorter = Sorter()
    end = sorter.feed(chunk(reason="length"))
    assert end is not None
    assert end["choices"][0]["finish_reason"] == "length"
    assert sorter.held_reason is None
