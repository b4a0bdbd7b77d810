"""A long chat is read in portions, and nothing of what the person said is left out."""

from __future__ import annotations

import pytest

from memory.domain.portions import ANSWER, PIECE, PORTION, portions
from memory.domain.types import Message


def person(text: str) -> Message:
    return Message("user", text)


def said(parts: list[list[Message]]) -> str:
    return "".join(m.text for part in parts for m in part if m.new and m.role == "user")


def test_it_leaves_an_ordinary_chat_whole():
    chat = [person("I live in Porto."), Message("assistant", "Lovely.")]
    assert portions(chat) == [chat]


@pytest.mark.parametrize("text", ["word " * 12_000, "x" * 50_000, "line\n" * 9_000, "One. Two.\n\n" * 4_000])
def test_it_parts_a_huge_message_without_losing_a_character(text: str):
    parts = portions([person(text)])
    assert len(parts) > 1
    assert said(parts) == text
    assert all(len(m.text) <= PIECE for part in parts for m in part)
    assert all(sum(len(m.text) for m in part) <= PORTION + PIECE for part in parts)


def test_it_parts_many_turns_and_shows_a_little_of_what_stood_before():
    chat = [Message(role, f"{n} " + "w" * 900) for n in range(40) for role in ("user", "assistant")]
    parts = portions(chat)
    assert len(parts) > 2
    assert said(parts) == "".join(m.text for m in chat if m.role == "user")
    assert all(not part[0].new for part in parts[1:])


def test_it_cuts_what_the_assistant_says():
    (part,) = portions([person("Tell me."), Message("assistant", "a" * 50_000)])
    assert len(part[1].text) <= ANSWER + 10


def test_it_makes_no_portion_of_the_assistants_words_alone():
    parts = portions([person("w" * PIECE), person("v" * PIECE), *[Message("assistant", "a" * 1_400)] * 9])
    assert len(parts) == 1
