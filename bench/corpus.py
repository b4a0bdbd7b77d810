"""Made-up texts whose words follow Zipf's law, and vectors that gather around subjects, as people's do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

DIM, TOPICS = 384, 500
VOCABULARY, SMALL_WORDS = 30_000, 12  # the commonest words of a language are never looked for
SPREAD, ASIDE = 0.9, 0.4  # how far a text lies from its subject, and a question from its text
WORDS_ASKED = 5


@dataclass(frozen=True)
class Text:
    """One text with its vector, float32[DIM] of length 1."""

    words: str
    vector: np.ndarray


@dataclass(frozen=True)
class Asked:
    """A question, near in meaning to one text and with some of its words."""

    words: str
    vector: np.ndarray
    about: str


class Corpus:
    """The same texts and questions for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._topics = _normal(self._random.standard_normal((TOPICS, DIM)))
        weight = 1.0 / np.arange(1 + SMALL_WORDS, 1 + SMALL_WORDS + VOCABULARY)
        self._weight = weight / weight.sum()

    def texts(self, count: int, *, words: int) -> list[Text]:
        """So many texts of so many words each."""
        picked = self._random.choice(VOCABULARY, size=(count, words), p=self._weight)
        topic = self._topics[self._random.integers(0, TOPICS, count)]
        vectors = _normal(topic + SPREAD / math.sqrt(DIM) * self._random.standard_normal((count, DIM)))
        return [Text(" ".join(map(word, row)), vector) for row, vector in zip(picked, vectors, strict=True)]

    def questions(self, texts: Sequence[Text], count: int) -> Iterator[Asked]:
        """Questions, each about one of the texts."""
        for n in self._random.integers(0, len(texts), count):
            noise = self._random.standard_normal(DIM)
            vector = _normal((texts[n].vector + ASIDE / math.sqrt(DIM) * noise)[None])[0]
            words = texts[n].words.split()
            begin = int(self._random.integers(0, len(words) - WORDS_ASKED + 1))
            yield Asked(" ".join(words[begin : begin + WORDS_ASKED]), vector, texts[n].words)


def word(number: int) -> str:
    """A word that exists nowhere, another for each number: "bozuk"."""
    syllables = []
    number += len(_CONSONANTS) * len(_VOWELS)
    while number:
        number, vowel = divmod(number, len(_VOWELS))
        number, consonant = divmod(number, len(_CONSONANTS))
        syllables.append(_CONSONANTS[consonant] + _VOWELS[vowel])
    return "".join(syllables) + "k"  # an ending that no stemmer takes away


_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aiou"


def _normal(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
