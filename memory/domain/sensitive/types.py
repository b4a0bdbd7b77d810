"""What is found in a text that memory may not simply keep: of which class, where, and of what kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SensitiveClass(StrEnum):
    """The classes, from the strictest: where two cover the same place, the earlier one names it."""

    CREDENTIAL = "credential"
    PAYMENT = "payment"
    GOVERNMENT_ID = "government_id"
    HEALTH = "health"
    SENSITIVE_PERSONAL = "sensitive_personal"

    @property
    def rank(self) -> int:
        """0 for the strictest."""
        return _RANKS[self]


_RANKS = {cls: rank for rank, cls in enumerate(SensitiveClass)}
ALL = frozenset(SensitiveClass)
# Never kept, whatever a profile's policy says, and redacted from transcripts too.
ALWAYS_REFUSED = frozenset({SensitiveClass.CREDENTIAL, SensitiveClass.PAYMENT, SensitiveClass.GOVERNMENT_ID})


@dataclass(frozen=True)
class Finding:
    """One place in the original text: `text[start:end]` is what was found, `kind` is a short name such as `iban`.

    Where the key of a fact alone tells what the value is, the finding spans the whole value.
    """

    cls: SensitiveClass
    start: int
    end: int
    kind: str
