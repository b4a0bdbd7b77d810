"""What the person asks to have forgotten by its name alone: "please forget my phone number"."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from memory.builtin.found import Found
from memory.builtin.text import BLANK, Sentence
from memory.domain.keys import ALIASES, canonical
from memory.domain.types import Op, Proposal

MOST_WORDS = 3  # in the name of a thing, such as "date of birth"
CONFIDENCE = 0.9

_KEYS = frozenset(ALIASES.values())
# "Delete my address" may be about a letter that is being written; forgetting is about memory.
_WISH = regex.compile(
    r"(?:(?:please|pls|hey|ok|okay|so|and|also|kindly|just|now|(?:can|could|would|will) you|you (?:can|should|may)"
    r"|i(?:'d like| would like| want) you to)[ ,]+)*"
    r"(?:(?:forget|unlearn)(?: about)? (?:my|our) (?P<what>[^.,;:!?()]{1,80})"
    r"|(?:delete|erase|remove|wipe) (?:my|our) (?P<what>[^.,;:!?()]{1,80}?) from (?:your )?(?:memory|memories)\b)",
    regex.IGNORECASE,
)
_TRAILING = regex.compile(
    r"\s+(?:please|again|now|completely|altogether|entirely|and|for good|thanks?)\b.*$", regex.IGNORECASE
)


def find(sentence: Sentence, original: str) -> Iterator[Found]:
    """The thing that is to be forgotten, where its name is one that people call a key by."""
    wish = _WISH.match(sentence.text)
    if wish is None or BLANK in wish["what"]:
        return
    words = _TRAILING.sub("", wish["what"]).split()
    for count in range(min(MOST_WORDS, len(words)), 0, -1):
        name = " ".join(words[:count])
        key = canonical(name)
        if key in _KEYS:
            quote = original[sentence.start : sentence.end]
            value = " ".join(words[count:]) or name
            proposal = Proposal(value, key, CONFIDENCE, op=Op.RETRACT, quote=quote)
            yield Found("forget", proposal, sentence.start + wish.start("what"))
            return
