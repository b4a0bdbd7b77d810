"""Facts that cannot be mistaken for each other: the sentence that tells one, and a model that reads it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

from tests.scripted_model.recorded import Recorded

TOLD = re.compile(r"My ([a-z]{8}) is called ([A-Z][a-z]{7})\.")


@dataclass(frozen=True)
class Told:
    """One fact, and the sentence that says it."""

    key: str
    value: str

    @property
    def sentence(self) -> str:
        return f"My {self.key} is called {self.value}."


def fact(n: int) -> Told:
    """The n-th; no two are spelled alike."""
    return Told(_word(f"key {n}"), _word(f"value {n}").capitalize())


def _word(seed: str) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join("bdfgklmnprstvz"[digest[i] % 14] + "aeiou"[digest[i + 1] % 5] for i in range(0, 8, 2))


def reading(request: Recorded) -> str:
    """What the model finds in a conversation: what was told, word for word."""
    told = dict(TOLD.findall(request.text))
    facts = [{"key": key, "value": value, "confidence": 0.95} for key, value in told.items()]
    return json.dumps({"facts": facts, "summary": "They named some things."})
