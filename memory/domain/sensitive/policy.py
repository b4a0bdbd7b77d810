"""What a profile wants done with each class, and what follows from it for a text. Some classes leave no choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from .types import ALWAYS_REFUSED, Finding, SensitiveClass


class Handling(StrEnum):
    """From the mildest. ALLOW: kept like anything else; REVIEW: waits for the person; NEVER: kept in no status."""

    ALLOW = "allow"
    REVIEW = "review"
    NEVER = "never"


_STRICTNESS = {handling: rank for rank, handling in enumerate(Handling)}
_NAMES = {
    SensitiveClass.CREDENTIAL: "Passwords, PINs and keys",
    SensitiveClass.PAYMENT: "Card and account numbers",
    SensitiveClass.GOVERNMENT_ID: "Government ids",
}


class Decision(NamedTuple):
    """The strictest handling that applies, and the classes that ask for it (for ALLOW: all that were found)."""

    handling: Handling
    classes: tuple[SensitiveClass, ...]


@dataclass(frozen=True)
class Policy:
    """How each class is handled. What is not named is never kept.

    Raises ValueError with a sentence for the person if a class that is always refused is to be kept.
    """

    handling: Mapping[SensitiveClass, Handling] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for cls in ALWAYS_REFUSED:
            if self.of(cls) is not Handling.NEVER:
                raise ValueError(f'{_NAMES[cls]} are never stored: for "{cls}" only "never" is possible.')

    def of(self, cls: SensitiveClass) -> Handling:
        """What is done with this class."""
        return self.handling.get(cls, Handling.NEVER)

    def as_dict(self) -> dict[str, str]:
        """Every class by its name, as settings keep it."""
        return {cls.value: self.of(cls).value for cls in SensitiveClass}

    @classmethod
    def parse(cls, settings: Mapping[str, str]) -> Policy:
        """From names, as settings and the API have them; raises ValueError with a sentence for what is unknown."""
        handling = {}
        for name, value in settings.items():
            if name not in set(SensitiveClass):
                raise ValueError(f'"{name}" is no sensitive class; there are {", ".join(SensitiveClass)}.')
            if value not in set(Handling):
                raise ValueError(f'"{value}" is not possible for "{name}"; it can be {", ".join(Handling)}.')
            handling[SensitiveClass(name)] = Handling(value)
        return cls(handling)


DEFAULT = Policy()


def decide(findings: Iterable[Finding], policy: Policy = DEFAULT) -> Decision:
    """What may become of a text in which this was found."""
    classes = sorted({found.cls for found in findings}, key=lambda cls: cls.rank)
    if not classes:
        return Decision(Handling.ALLOW, ())
    strictest = max((policy.of(cls) for cls in classes), key=_STRICTNESS.__getitem__)
    return Decision(strictest, tuple(cls for cls in classes if policy.of(cls) is strictest))
