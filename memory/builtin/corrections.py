"""What is only clear from something said before in the same chat: "sorry, 1978, not 1987", "Pixel died on Sunday"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.builtin import values
from memory.builtin.found import Found
from memory.builtin.patterns import load
from memory.builtin.text import Sentence
from memory.domain.types import Cardinality, Op

_PETS = frozenset({"dog.name", "cat.name", "pet.name"})


def find(sentence: Sentence, original: str, known: Sequence[Found]) -> list[Found]:
    """The corrections in one sentence. `known` is what was said before it, in order; without it there are none."""
    if not known or sentence.asks:
        return []
    quote = original[sentence.start : sentence.end]
    return _lost(sentence, quote, known) or _mended(sentence, quote, known)


def _mended(sentence: Sentence, quote: str, known: Sequence[Found]) -> list[Found]:
    """The right value in place of the wrong one; of a key with several values the wrong one is closed as well."""
    match = load().rules["correction"].search(sentence.text)
    if match is None:
        return []
    new, old = values.tidy(match["new"]), values.tidy(match["old"]).casefold()
    wrong = next((each.proposal for each in reversed(known) if each.value == old), None)
    if wrong is None or not new or new.casefold() == old:
        return []
    at = sentence.start + match.start()
    right = Found("correction", replace(wrong, value=new, quote=quote), at)
    if wrong.cardinality is not Cardinality.MANY:
        return [right]
    return [Found("correction", replace(wrong, op=Op.RETRACT, quote=quote), at), right]


def _lost(sentence: Sentence, quote: str, known: Sequence[Found]) -> list[Found]:
    """A pet that died, where its name was given before."""
    match = load().rules["died"].search(sentence.text)
    if match is None:
        return []
    name = match["value"].casefold()
    pet = next((each.proposal for each in reversed(known) if each.value == name and each.key in _PETS), None)
    if pet is None or pet.op is Op.RETRACT:
        return []
    return [Found("died", replace(pet, op=Op.RETRACT, quote=quote), sentence.start + match.start())]
