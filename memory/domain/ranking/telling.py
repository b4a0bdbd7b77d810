"""Does a person tell something of themselves in a text?"""

from __future__ import annotations

from importlib import resources

import regex
import yaml

from memory.domain.lexicon import FIRST_PERSON

LOOKED_AT = 1_000  # characters
_MYSELF: str = yaml.safe_load(
    resources.files("memory.domain.ranking").joinpath("asking.yaml").read_text(encoding="utf-8")
)["myself"]
_WORD = regex.compile(r"[\p{L}\p{M}]++(?:'[\p{L}]++)?")
_DENSE = regex.compile(_MYSELF)


def tells(text: str) -> bool:
    """Whether the text speaks in the first person ("I", "my", "we"), in the languages of the word lists."""
    text = text[:LOOKED_AT].lower().replace("\u2019", "'")
    if not FIRST_PERSON.isdisjoint(_WORD.findall(text)):
        return True
    return not text.isascii() and _DENSE.search(text) is not None
