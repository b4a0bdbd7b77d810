"""Chats that plainly hold nothing to remember, so that no model need be asked. When unsure, they may."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import regex

from .lexicon import COURTESIES, ENGLISH, FIRST_PERSON, QUESTION_OPENERS, YES_NO
from .text import normalise
from .types import Message

_MAX_QUESTION = 200
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}]+)*")
_SENTENCE = regex.compile(r"[^.!?\u3002\uff01\uff1f]+[.!?\u3002\uff01\uff1f]*")
_STATES = regex.compile(r"[,;:\"(\u2014]|\s-\s|\b(?:because|since|as|if|for)\s")


def holds_nothing(messages: Sequence[Message]) -> bool:
    """True where every new message of the person is an acknowledgement, a greeting or a bare question.

    A "yes" or "ok" right behind an assistant's question may confirm something and is not trivial. Only English
    questions are judged, and only those without a first person, a clause of their own or a list.
    """
    return _all_parts(messages, lambda part, asked: _is_ack(part, asked) or _is_bare_question(part))


def small_talk(messages: Sequence[Message]) -> bool:
    """True where every new message of the person is an acknowledgement or a greeting: nothing was talked about."""
    return _all_parts(messages, _is_ack)


def _all_parts(messages: Sequence[Message], trivial: Callable[[str, bool], bool]) -> bool:
    """Whether each sentence of the person is trivial, given whether it stands behind a question."""
    asked = False
    for message in messages:
        if message.role == "user" and message.new:
            if not all(trivial(part, asked) for part in _SENTENCE.findall(normalise(message.text))):
                return False
        elif message.role == "assistant":
            asked = any(sign in message.text for sign in "?\uff1f\u061f")
    return True


def _is_ack(part: str, asked: bool) -> bool:
    words = _WORD.findall(part)
    known = COURTESIES if asked else COURTESIES | YES_NO
    if asked and not words:
        return False  # a thumb up may be the answer
    return len(words) <= 8 and all(word in known for word in words)


def _is_bare_question(part: str) -> bool:
    part = part.strip()
    if not part.endswith("?") or len(part) > _MAX_QUESTION or not part.isascii() or _STATES.search(part):
        return False
    words = _WORD.findall(part)
    return (
        bool(words)
        and words[0] in QUESTION_OPENERS
        and len(ENGLISH.intersection(words)) >= 2
        and FIRST_PERSON.isdisjoint(words)
    )
