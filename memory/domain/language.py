"""Is a value in a script that the person did not write in? Small models drift into the language they know best."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from .text import normalise

# One pattern for each family of scripts that one text mixes anyway: a Japanese value of Han characters alone is no
# other script than its kana.
_FAMILIES = {
    "latin": r"\p{Latin}",
    "cyrillic": r"\p{Cyrillic}",
    "greek": r"\p{Greek}",
    "chinese and japanese": r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}",
    "korean": r"\p{Hangul}",
    "arabic": r"\p{Arabic}",
    "hebrew": r"\p{Hebrew}",
    "thai": r"\p{Thai}",
    "devanagari": r"\p{Devanagari}",
}
_FAMILY = regex.compile("|".join(f"(?P<f{n}>[{letters}])" for n, letters in enumerate(_FAMILIES.values())))


def scripts(text: str) -> frozenset[str]:
    """The scripts of the text's letters; digits, signs and letters that all scripts share have none."""
    found = set()
    for letter in filter(str.isalpha, set(normalise(text))):
        match = _FAMILY.match(letter)
        found.add(match.lastgroup or "" if match else _block(letter))
    return frozenset(found)


def in_another_script(value: str, said: Iterable[str]) -> bool:
    """Whether the value has letters of a script that stands in none of the texts the person said."""
    return not scripts(value) <= frozenset().union(*(scripts(text) for text in said))


def _block(letter: str) -> str:
    """A name for a script that is not in the table: letters within 128 of each other count as one."""
    return f"u{ord(letter) // 128}"
