"""A message cut into sentences, with everything in it that is not the person's own plain words blanked out.

All steps keep the length of the text, so that an offset found here is an offset in the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import regex

# Whatever is longer was pasted, not said: its beginning is read, so that the cost of a message stays bounded.
LONGEST_SENTENCE = 1200
MOST_SENTENCES = 1500
BLANK = "\x1f"  # stands for a character that must not be read; no pattern can match across it

_STRAIGHT = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc\uff07`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2012\u2013\u2015\u2212", "\u2014"),
        **dict.fromkeys("\u00a0\u202f\u2007\u2009\u3000\t\f\v", " "),
        "\u2026": ".",
        "\r": "\n",
        "\uff0c": ",",
        "\u3002": ".",
        "\uff1f": "?",
        "\uff01": "!",
    }
)

# A quoted name may stay ("my dog is called 'Beans'"): it is short and follows a word that introduces a name.
_NAMING = regex.compile(r"\b(?:call(?:ed)?|named?|nicknamed|is|are|goes by)\s*$", regex.IGNORECASE)
_FIRST_PERSON = regex.compile(r"\b(?:I|I'm|my|we|our|me)\b", regex.IGNORECASE)
_FENCE = regex.compile(r"(?:'''|~~~).*?(?:'''|~~~|\Z)", regex.DOTALL)
_QUOTE_LINE = regex.compile(r"^[ ]{0,3}>.*$", regex.MULTILINE)
_DOUBLE = regex.compile(r'(?<!\w)"(?:[^"\n]|\n(?!\s*\n))++"')
_SINGLE = regex.compile(r"(?<![\w'])'(?!(?:cause|em|til|tis|twas)\b|\d0s)(?:[^'\n]|(?<=\w)'(?=\w))++'(?!\w)")
_LINK = regex.compile(r"\b[a-z][a-z0-9+.]{1,9}://\S++", regex.IGNORECASE)

# A line such as "Alice: I live in Paris" or "[10:32] Bob: hi" is a pasted chat; "My name: Bo" is not.
_SPEAKER = regex.compile(
    r"^[ ]*(?:[-*][ ]+)?(?:\[[^\]\n]{1,30}\][ ]*|\(?\d{1,2}:\d\d(?::\d\d)?\)?[ ]*)?"
    r"(?!(?:Context|Background|Note|FYI|PS|Update|Edit|Correction|Me|Info|Information|Question|Hi|Hello|Hey|BTW|Also|"
    r"Remember|Reminder|About|Facts?|OK|Okay|So|Well|Yes|No|My|Our|I|Caesar|Please|Oh|Answer|TLDR)\b)"
    r"\p{Lu}[\p{L}.'-]*(?:[ ]\p{Lu}[\p{L}.'-]*){0,2}[ ]*:[ ].*$",
    regex.MULTILINE,
)
# "Translate this: …", "is this sentence right: …": what follows the colon is material to work on.
_MATERIAL = regex.compile(
    r"\b(?:translate|proofread|paraphrase|rephrase|rewrite|reword|summari[sz]e|correct|improve|shorten|polish|analy[sz]e"
    r"|sentence|phrase|paragraph|passage|excerpt|lyrics|transcript|quote|article|review|essay|draft|letter|email|e-mail"
    r"|pasted?|says?|said|wrote|writes|reads|poem|story|dialogue|script)\b[^:.!?\n]{0,80}:",
    regex.IGNORECASE,
)
_STOP = regex.compile(r"[.!?]++[\"')\]]*+(?=\s|$)|\n+")
_ABBREVIATION = regex.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|No|vs|etc|approx|e\.g|i\.e)|\b[A-Z])\.$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: `text` is what may be read, `start` where it begins in the message."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"') \n").endswith("?")


def readable(message: str) -> str:
    """The message with straight punctuation and with code, links, quotations and pasted text blanked out."""
    text: str = message.translate(_STRAIGHT)
    for part in (_FENCE, _QUOTE_LINE, _LINK):
        text = part.sub(_blank, text)
    for part in (_DOUBLE, _SINGLE):
        text = part.sub(_blank_quotation, text)
    text = _SPEAKER.sub(_blank, text)
    material = _MATERIAL.search(text)
    if material:
        text = text[: material.end()] + BLANK * (len(text) - material.end())
    return text


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a readable text, in order. A line break ends a sentence, except inside a wrapped line."""
    yield from islice(_all_sentences(text), MOST_SENTENCES)


def _all_sentences(text: str) -> Iterator[Sentence]:
    start = 0
    for stop in _STOP.finditer(text):
        if stop.group().startswith("\n"):
            if _is_wrapped(text, start, stop.start(), stop.end()):
                continue
        elif _ABBREVIATION.search(text, max(start, stop.start() - 6), stop.start() + 1):
            continue
        yield from _sentence(text, start, stop.end())
        start = stop.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    piece = text[start:end]
    bare = piece.lstrip(" \n-*\u2022\u2014" + BLANK)
    start += len(piece) - len(bare)
    bare = bare.rstrip()
    if bare:
        yield Sentence(bare[:LONGEST_SENTENCE], start)


def _is_wrapped(text: str, start: int, stop: int, resume: int) -> bool:
    """Whether a single line break stands in the middle of a sentence that an editor wrapped."""
    line = stop - max(start, text.rfind("\n", start, stop))
    return resume - stop == 1 and line >= 50 and text[resume : resume + 1].islower()


def _blank(found: regex.Match[str]) -> str:
    return BLANK * len(found.group())


def _blank_quotation(found: regex.Match[str]) -> str:
    inner = found.group()[1:-1]
    short = len(inner.split()) <= 6 and len(inner) <= 50 and not _FIRST_PERSON.search(inner)
    if short and _NAMING.search(found.string, max(0, found.start() - 20), found.start()):
        return f" {inner} "
    return _blank(found)
