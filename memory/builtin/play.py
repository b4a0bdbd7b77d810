"""The messages in which the person speaks as themselves: games and stories are left out until they end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.builtin.patterns import load
from memory.builtin.text import BLANK, readable
from memory.domain.types import Message


def serious(messages: Sequence[Message]) -> Iterator[tuple[Message, str]]:
    """Each message of the person with its readable text. Inside a game only an aside out of it is readable."""
    rules = load().rules
    playing = False
    for message in messages:
        if message.role != "user":
            continue
        text = readable(message.text)
        if playing and rules["play_ends"].search(text):
            playing = False
        elif rules["play_begins"].search(text):
            playing = True
        if not playing and not rules["plays_once"].search(text):
            yield message, text
            continue
        aside = rules["aside"].search(text)
        if aside:
            start, end = aside.span("said")
            yield message, BLANK * start + text[start:end] + BLANK * (len(text) - end)
