"""Corrections of something said before in the same chat: "sorry, 1978, not 1987", "it's Bowser, not Beans"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from memory.builtin import values
from memory.builtin.patterns import load
from memory.builtin.text import Sentence
from memory.domain.types import Cardinality, Op

_PETS = frozenset({"dog.name", "cat.name", "pet.name"})


def find(sentence: Sentence, original: str, known: Sequence[Any], make: Callable[..., Any]) -> list[Any]:
    """The corrected fact, if what it corrects was said earlier; a corrected one of several also closes the wrong one."""
    if not known or sentence.asks:
        return []
    lost = load().rules["died"].search(sentence.text)
    if lost:
        return _lost(sentence, original, known, make, lost["value"], lost.start())
    match = load().rules["correction"].search(sentence.text)
    if match is None:
        return []
    new, old = values.tidy(match["new"]), values.tidy(match["old"])
    wrong = next((each for each in reversed(known) if each.proposal.value.casefold() == old.casefold()), None)
    if wrong is None or not new:
        return []
    at = sentence.start + match.start()
    quote = original[sentence.start : sentence.end]
    right = replace(wrong.proposal, value=new, quote=quote)
    found = [make("correction", right, at)]
    if right.cardinality is Cardinality.MANY:
        found.insert(0, make("correction", replace(wrong.proposal, op=Op.RETRACT, quote=quote), at))
    return found


def _lost(
    sentence: Sentence, original: str, known: Sequence[Any], make: Callable[..., Any], name: str, at: int
) -> list[Any]:
    """ "Pixel died on Sunday", where Pixel was said to be a pet."""
    pet = next(
        (each for each in reversed(known) if each.proposal.value == name and each.proposal.key in _PETS), None
    )
    if pet is None or pet.proposal.op is Op.RETRACT:
        return []
    quote = original[sentence.start : sentence.end]
    return [make("died", replace(pet.proposal, op=Op.RETRACT, quote=quote), sentence.start + at)]
