"""A value taken out of a text that quotes it."""

from __future__ import annotations

from .text import fold

MASK = "[deleted]"


def masked(text: str, value_norm: str) -> str:
    """The text with every place where the value stands as whole words masked, however it is spelt there."""
    folded = fold(text)
    out: list[str] = []
    at = done = 0
    while value_norm and (at := folded.text.find(value_norm, at)) >= 0:
        end = at + len(value_norm)
        if _is_edge(folded.text, at) and _is_edge(folded.text, end):
            out += [text[done : folded.at[at]], MASK]
            done = folded.at[end] if end < len(folded.at) else len(text)
            at = end
        else:
            at += 1
    return "".join([*out, text[done:]])


def _is_edge(text: str, at: int) -> bool:
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and text[at].isascii())
