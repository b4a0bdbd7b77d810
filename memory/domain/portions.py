"""A long chat in portions that a model can read at once, so that nothing of it is cut away unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .types import Message

PORTION = 12_000  # characters of messages in one call; the rules and the known keys come on top
PIECE = 6_000  # longest part of one message of the person
ANSWER = 800  # of what the assistant or a tool said: the gist of an answer stands at its beginning
CONTEXT = 600  # of the message before a portion


def portions(messages: Sequence[Message], *, most: int = PORTION) -> list[list[Message]]:
    """The messages in order, in lists of at most about `most` characters; each after the first begins with context.

    A message of the person that is too long is parted where a paragraph, a line or a word ends. Never empty lists.
    """
    found: list[list[Message]] = [[]]
    size = 0
    for piece in _pieces(messages):
        if size + len(piece.text) > most and any(m.new for m in found[-1]):
            last = found[-1][-1]
            found.append([replace(last, text=last.text[-CONTEXT:], new=False)])
            size = len(found[-1][0].text)
        found[-1].append(piece)
        size += len(piece.text)
    # What only the assistant says at the end needs no call of its own.
    return [part for n, part in enumerate(found) if n == 0 or any(m.new and m.role == "user" for m in part)]


def _pieces(messages: Sequence[Message]) -> Iterator[Message]:
    for message in messages:
        if message.role != "user":
            text = message.text
            yield message if len(text) <= ANSWER else replace(message, text=f"{text[:ANSWER]} […]")
        elif len(message.text) <= PIECE:
            yield message
        else:
            yield from (replace(message, text=text) for text in _parted(message.text))


def _parted(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        for mark in ("\n\n", "\n", ". ", " "):
            at = text.rfind(mark, start + PIECE // 2, end)
            if at > 0:
                end = at + len(mark)
                break
        yield text[start:end]
        start = end
    yield text[start:]
