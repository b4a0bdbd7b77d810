"""Long texts in parts that an embedder reads whole."""

from __future__ import annotations

from collections.abc import Iterator

import regex

LONGEST = 900  # characters; about 256 tokens of English, which is what a small model reads

_PARAGRAPH = regex.compile(r"\n\s*\n")
_SENTENCE = regex.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])[\"')\]\u201d\u300d]*\s*(?=\S)|\n")


def chunks(text: str, longest: int = LONGEST) -> list[str]:
    """The text in parts of at most `longest` characters, cut between paragraphs, then sentences, then words.

    Nothing is left out but space; a text that is short enough is one part.
    """
    text = text.strip()
    if len(text) <= longest:
        return [text] if text else []
    found: list[str] = []
    for piece in _pieces(text, longest):
        if found and len(found[-1]) + len(piece) + 1 <= longest:
            found[-1] += "\n" + piece
        else:
            found.append(piece)
    return found


def _pieces(text: str, longest: int) -> Iterator[str]:
    for paragraph in _PARAGRAPH.split(text):
        if len(paragraph) <= longest:
            if paragraph.strip():
                yield paragraph.strip()
            continue
        held = ""
        for sentence in _SENTENCE.split(paragraph):
            for part in _words(sentence.strip(), longest):
                if held and len(held) + len(part) + 1 > longest:
                    yield held
                    held = ""
                held = f"{held} {part}" if held else part
        if held:
            yield held


def _words(sentence: str, longest: int) -> Iterator[str]:
    while len(sentence) > longest:
        cut = sentence.rfind(" ", longest // 2, longest + 1)
        cut = longest if cut < 0 else cut
        yield sentence[:cut].rstrip()
        sentence = sentence[cut:].lstrip()
    if sentence:
        yield sentence
