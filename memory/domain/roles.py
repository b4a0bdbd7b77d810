"""What somebody or something is to the person: spouse, dog, employer, project (see roles.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from .cardinality import usual
from .names import name_key
from .types import Cardinality


class EntityKind(StrEnum):
    """What facts can hang on."""

    PERSON = "person"
    PET = "pet"
    ORGANISATION = "organisation"
    PROJECT = "project"
    PLACE = "place"
    DEVICE = "device"
    VEHICLE = "vehicle"


@dataclass(frozen=True)
class Role:
    """`keys` are where its facts live; `named`: the part after the key is a name, unless it is a usual attribute."""

    kind: EntityKind
    name: str
    keys: tuple[str, ...]
    words: frozenset[str]
    under: str
    named: bool

    @property
    def single(self) -> bool:
        """Whether a person has one at a time, by its name's cardinality."""
        return not self.named and usual(f"{self.keys[0]}.name") is Cardinality.ONE


_DATA: dict[str, Any] = yaml.safe_load(resources.files(__package__).joinpath("roles.yaml").read_text(encoding="utf-8"))


def _listed(name: str) -> frozenset[str]:
    return frozenset(_DATA[name].split())


def _role(kind: EntityKind, name: str, given: dict[str, Any]) -> Role:
    words = frozenset(given.get("words", "").split())
    keys = given.get("keys", name).split()
    starts = [word for word in sorted(words) if word.isascii() and "-" not in word]
    return Role(
        kind=kind,
        name=name,
        keys=tuple(dict.fromkeys([*keys, *starts])),
        words=frozenset(name_key(word.replace("_", " ")) for word in (*words, name)),
        under=given.get("under", ""),
        named=given.get("named", False),
    )


ROLES = {name: _role(kind, name, given or {}) for kind in EntityKind for name, given in _DATA[kind.value].items()}
BY_KEY = {key: role for role in reversed(ROLES.values()) for key in role.keys}
BY_WORD = {word: role for role in reversed(ROLES.values()) for word in role.words}
ATTRIBUTES = _listed("attributes")
MINE = _listed("mine")
NO_NAMES = _listed("no_names")
INSIDE_NAMES = _listed("inside_names")
AND = _listed("and")


def compatible(one: str, other: str) -> bool:
    """Whether two roles may be one and the same: a pet that is a dog, a person that is a friend."""
    return other in narrower(one) or one in narrower(other)


@cache
def narrower(role: str) -> frozenset[str]:
    """The role and those that are one of it: every dog is a pet, every mother a parent and a person."""
    known = ROLES.get(role)
    if known is not None and role == known.kind.value:
        return frozenset(other.name for other in ROLES.values() if other.kind is known.kind)
    return frozenset({role, *(other.name for other in ROLES.values() if other.under == role)})
