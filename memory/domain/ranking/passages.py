"""Which passages answer a question: one sum of few signals, each of them explainable.

    score = semantic + fact + words x (own + around) x (look_up, where the question plainly looks something up)
            + speaker + time + person + tells

Everything but `tells` comes from columns. `tells` needs the text, so it is added for the best by `told`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .around import Floats, Ints, Places, coverage
from .asked import Asked
from .periods import fits
from .telling import tells

SHORTLIST = 60  # passages whose text is looked at


@dataclass(frozen=True)
class Weights:
    """What each signal is worth beside the cosine, which counts 1: the passage's own, or that of a fact it taught.

    Found on three public sets of conversations, one set of weights for all; a third more or less of any of them
    changes little. They are meant for an embedder whose cosines lie between about 0 and 0.7.

    words: the whole question stands in one short passage. look_up: times as much where a question plainly looks
    something up, for then it is put in words that were used. speaker: the one speaker whom the question names said it.
    time: it was said on a day that the question names (half: in the month or year). person: the person said it and
    not the assistant, unless the question asks for what the assistant said or names a speaker. tells: somebody
    speaks of themselves in it.
    """

    words: float = 0.65
    look_up: float = 1.6
    speaker: float = 0.3
    time: float = 0.4
    person: float = 0.2
    tells: float = 0.1


@dataclass(frozen=True)
class Candidates:
    """Passages that may answer, as columns of the same length.

    cosine: to the question; nan where a passage has no vector yet. holds: passages x terms of the question.
    conversation: as small numbers; position: of the message in it. length: in terms. day: ordinal of the day it was
    said on, in the person's zone. fact: cosine of the nearest fact that it taught and that holds; nan where none does.
    """

    cosine: Floats
    holds: NDArray[np.bool_]
    conversation: Ints
    position: Ints
    length: Ints
    by_assistant: NDArray[np.bool_]
    speaker: Sequence[str]
    day: Ints
    fact: Floats


@dataclass(frozen=True)
class Scores:
    """The score of each candidate, and what each signal gave to it."""

    total: Floats
    parts: dict[str, Floats] = field(default_factory=dict)

    def of(self, place: int) -> dict[str, float]:
        """The parts of one candidate's score that are not nothing."""
        return {name: round(float(part[place]), 4) for name, part in self.parts.items() if part[place]}


def score(
    asked: Asked,
    candidates: Candidates,
    weights_of_terms: Floats,
    places: Places,
    weights: Weights = Weights(),
) -> Scores:
    """The score of each candidate without `tells`. weights_of_terms: `around.rarity` of the question's terms."""
    near = places.near(candidates.conversation, candidates.position)
    own, around = coverage(weights_of_terms, candidates.holds, candidates.length, near)
    words = weights.words * (weights.look_up if asked.looks_up else 1.0)
    count, semantic = len(candidates.cosine), _semantic(candidates.cosine)
    parts = {
        "semantic": semantic,
        "fact": np.fmax(candidates.fact - semantic, 0.0).astype(np.float32),
        "lexical": words * own,
        "around": words * around,
        "speaker": _where(_said_by(asked, candidates), weights.speaker),
        "time": weights.time * fits(asked.periods, candidates.day) if asked.periods else np.zeros(count, np.float32),
        "person": _where(_own_words(asked, candidates), weights.person),
    }
    return Scores(np.sum(list(parts.values()), axis=0), parts)


def shortlist(scores: Scores, candidates: Candidates, most: int = SHORTLIST) -> Ints:
    """The places of the best candidates, best first, of each message only the best part."""
    order = np.argsort(-scores.total, kind="stable")
    message = np.stack([candidates.conversation, candidates.position])[:, order]
    first = np.unique(message, axis=1, return_index=True)[1]
    return order[np.sort(first)][:most]


def told(
    asked: Asked,
    scores: Scores,
    candidates: Candidates,
    chosen: Ints,
    texts: Sequence[str],
    weights: Weights = Weights(),
) -> tuple[Ints, Scores]:
    """The chosen candidates in their final order, and all scores with what telling of oneself gives the chosen ones."""
    telling = np.zeros(len(scores.total), np.float32)
    if not asked.of_assistant:
        telling[chosen] = [
            weights.tells if _may_tell(asked, candidates, place) and tells(text) else 0.0
            for place, text in zip(chosen, texts, strict=True)
        ]
    final = Scores(scores.total + telling, {**scores.parts, "tells": telling})
    return chosen[np.argsort(-final.total[chosen], kind="stable")], final


def _semantic(cosine: Floats) -> Floats:
    """What has no vector counts as far away as the farthest that was fetched."""
    known = cosine[~np.isnan(cosine)]
    return np.where(np.isnan(cosine), known.min() if len(known) else 0.0, cosine).astype(np.float32)


def _said_by(asked: Asked, candidates: Candidates) -> NDArray[np.bool_]:
    if len(asked.speakers) != 1:
        return np.zeros(len(candidates.cosine), np.bool_)
    return np.array([speaker in asked.speakers for speaker in candidates.speaker], np.bool_)


def _may_tell(asked: Asked, candidates: Candidates, place: int) -> bool:
    """The assistant tells nothing of a person, unless a person of a chat between people stands in its place."""
    return not candidates.by_assistant[place] or candidates.speaker[place] in asked.speakers


def _own_words(asked: Asked, candidates: Candidates) -> NDArray[np.bool_]:
    if asked.of_assistant or asked.speakers:
        return np.zeros(len(candidates.cosine), np.bool_)
    return ~candidates.by_assistant


def _where(condition: NDArray[np.bool_], value: float) -> Floats:
    return np.where(condition, value, 0.0).astype(np.float32)
