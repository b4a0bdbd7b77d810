"""Text as the rest of the domain wants it: without rubbish, comparable, in tokens, clamped with a word about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

# Control characters that mean nothing in a text (tab and newline stay), and halves of surrogate pairs,
# which Postgres and UTF-8 refuse.
_CONTROL = regex.compile(r"[\p{Cc}\p{Cs}--[\t\n]]", regex.V1)
_LINE_END = regex.compile(r"\r\n?|\u0085|\u2028|\u2029")
_DATA_URL = regex.compile(r"data:[\w.+/-]*(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_-]+")

# Runs that a writer does not part with spaces: cut into overlapping pairs. Hangul is among them because its
# particles stick to the word.
DENSE = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    "\u30fc\u3005\u3006\u3007"
)
_TOKEN = regex.compile(
    rf"""
      (?P<dense>[{DENSE}]+)
    | (?P<number>\p{{Nd}}++(?:[.,:]\p{{Nd}}++)++ | \p{{Nd}}++(?![\p{{L}}\p{{M}}\p{{N}}--[{DENSE}]]))
    | (?P<word>[\p{{L}}\p{{M}}\p{{N}}--[{DENSE}]]+(?:'[\p{{L}}\p{{M}}--[{DENSE}]]+)*)
    """,
    regex.V1 | regex.VERBOSE,
)
_IDENTIFIER = regex.compile(r"(?<![\p{L}\p{N}])[\p{L}\p{N}]++(?:[-_./][\p{L}\p{N}]++)+", regex.V1)
_JOINTS = regex.compile(r"[-_./]")
_PIECE = regex.compile(r"[\x21-\x7e]+(?![\p{M}\p{Cf}])|\s+|\X")
_SINGLE_QUOTES = frozenset("'`\u00b4\u2018\u2019\u201a\u201b\u2032\u02bc\u2039\u203a")
_DOUBLE_QUOTES = frozenset('"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f')


# Putting marks into their order takes the square of their number; nobody writes more than a few on one letter.
_MOST_MARKS = 32
_PILE = regex.compile(rf"(\p{{M}}{{{_MOST_MARKS}}})\p{{M}}++")


def clean(text: str) -> str:
    """The text in NFC without control characters and lone surrogates; line ends become newlines.

    Of marks piled on one letter the first 32 stay.
    """
    text = _LINE_END.sub("\n", text)
    return unicodedata.normalize("NFC", _PILE.sub(r"\1", _CONTROL.sub("", text)))


def one_line(text: str) -> str:
    """The cleaned text with every run of white space as one space."""
    return " ".join(clean(text).split())


@dataclass(frozen=True)
class Folded:
    """A text in its comparable form; `at[i]` is where character i came from in the original."""

    text: str
    at: tuple[int, ...]


def fold(text: str) -> Folded:
    """The comparable form of a text, with the way back to the original's offsets.

    NFKC, casefolded, white space collapsed and trimmed, invisible characters out, quotes and dashes unified.
    """
    out: list[str] = []
    at: list[int] = []
    for match in _PIECE.finditer(text):
        piece, start = match.group(), match.start()
        if piece.isspace():
            if out and out[-1] != " ":
                out.append(" ")
                at.append(start)
        elif piece.isascii():
            folded = piece.lower().replace("`", "'")
            out.extend(folded)
            at.extend(range(start, start + len(folded)))
        else:
            for char in _fold_cluster(piece):
                if char == " " and (not out or out[-1] == " "):
                    continue
                out.append(char)
                at.append(start)
    if out and out[-1] == " ":
        out.pop()
        at.pop()
    return Folded("".join(out), tuple(at))


def normalise(text: str) -> str:
    """The comparable form of a text: two spellings that a person calls the same are equal in it."""
    if text.isascii():  # what fold makes of it, in a hundredth of the time
        return " ".join(text.lower().replace("`", "'").split())
    return fold(text).text


def _fold_cluster(cluster: str) -> str:
    cluster = _PILE.sub(r"\1", cluster)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    return "".join(filter(None, map(_fold_char, folded)))


def _fold_char(char: str) -> str:
    if char.isascii():
        return "'" if char == "`" else (" " if char.isspace() else char)
    if char in _SINGLE_QUOTES:
        return "'"
    if char in _DOUBLE_QUOTES:
        return '"'
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Cs"):
        return ""
    if category == "Pd" or char == "\u2212":
        return "-"
    return " " if category in ("Zs", "Zl", "Zp") else char


_ENDS = " .,;:!?\u2026\u3002\uff0c\u3001\u00bf\u00a1\"'"


def same_form(value: str) -> str:
    """How a value is compared with others: its comparable form, without the signs that a sentence puts around it."""
    text = normalise(value)
    return text.strip(_ENDS) or text


# Letters of the Cyrillic and Greek scripts that look like a Latin one.
_ALIKE = dict(
    zip(
        "\u0430\u0435\u0451\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u0442\u043c\u0432\u043d"
        "\u03b1\u03bf\u03bd\u03c1\u03b9\u03ba\u03c5\u03c7\u03f2\u03f3\u03c4\u03b5",
        "aeeopcyxijshdqwktmbhaovpikuxcjte",
        strict=True,
    )
)
_SCRIPT_WORD = regex.compile(r"[\p{L}\p{M}]+")
_MIXED = regex.compile(r"(?=.*\p{Latin})(?=.*[\p{Cyrillic}\p{Greek}])", regex.DOTALL)


def in_one_script(text: str) -> str:
    """The text with look-alikes written in Latin where a word mixes them with Latin letters: nobody writes so."""
    if text.isascii():
        return text
    return _SCRIPT_WORD.sub(
        lambda word: "".join(_ALIKE.get(c, c) for c in word[0]) if _MIXED.match(word[0]) else word[0], text
    )


@dataclass(frozen=True)
class Token:
    """One token of a folded text and where it stands in it. `kind` is word, number or dense."""

    text: str
    start: int
    end: int
    kind: str


def spans(folded: str) -> list[Token]:
    """The tokens of an already folded text, with their places; dense scripts as overlapping pairs."""
    found: list[Token] = []
    for match in _TOKEN.finditer(folded):
        kind, start, end = match.lastgroup or "word", match.start(), match.end()
        if kind == "dense" and end - start > 1:
            found.extend(Token(folded[i : i + 2], i, i + 2, kind) for i in range(start, end - 1))
        else:
            found.append(Token(match.group(), start, end, kind))
    return found


def tokens(text: str) -> list[str]:
    """The tokens of a text in any script: words, numbers, pairs of CJK characters, whole identifiers.

    An identifier such as `ATL-4471` gives its parts and, joined, itself: `atl`, `4471`, `atl4471`.
    """
    folded = normalise(text)
    found = [token.text for token in spans(folded)]
    for match in _IDENTIFIER.finditer(folded):
        joined = _JOINTS.sub("", match.group())
        if any(c.isdigit() for c in joined) and any(c.isalpha() for c in joined):
            found.append(joined)
    return found


def clamp(text: str, limit: int) -> str:
    """The text in at most `limit` characters; where something was cut, the end says how much."""
    if len(text) <= limit:
        return text
    note = ""
    keep = limit
    for _ in range(3):  # the note's own length depends on the number in it
        note = f" [\u2026 {len(text) - keep:,} characters cut]"
        keep = limit - len(note)
    if keep > 0:
        return text[:keep] + note
    return text[: limit - 1] + "\u2026" if limit > 0 else ""


def was_cut(text: str) -> bool:
    """Whether `clamp` cut it, and said so."""
    return text.endswith(" characters cut]")


def text_of(content: object) -> str:
    """The readable text of a message's content (a string, a list of parts or nothing), cleaned.

    Pictures, sound and files are left out, so is base64 that stands in the text as a data URL.
    """
    if isinstance(content, str):
        parts = [content]
    elif isinstance(content, Sequence):
        parts = [text for part in content if (text := _text_of_part(part))]
    else:
        parts = []
    return clean(_DATA_URL.sub("[data left out]", "\n".join(parts)))


def _text_of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type", "text") in ("text", "input_text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""
