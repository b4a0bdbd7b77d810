"""Who or what a fact is about, by its key and value alone: `dog.name = Beans` names a pet, `dog.age` is about one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import regex

from .cardinality import HEADS
from .names import name_key, words
from .roles import AND, ATTRIBUTES, BY_KEY, BY_WORD, INSIDE_NAMES, NO_NAMES, EntityKind, Role
from .text import one_line

MAX_NAME = 60
MAX_NAME_WORDS = 6
MAX_NAME_RUN = 16  # characters of a script without spaces
_OWN_NAME = frozenset({"name", "names", "full_name", "called"})
_NICKNAME = frozenset({"nickname", "first_name", "last_name", "short_name", "alias", "aka"})
_OF_A_DEVICE = frozenset({*_OWN_NAME, *_NICKNAME, "type", "model", "kind", "count", "list"})
_SEVERAL = frozenset({EntityKind.PERSON, EntityKind.PET})
_CASELESS_OK = frozenset({EntityKind.ORGANISATION, EntityKind.PROJECT, EntityKind.PLACE})
_UNNAMED_OK = frozenset({EntityKind.PERSON, EntityKind.PET, EntityKind.VEHICLE})

_LETTER = regex.compile(r"\p{L}")
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Cc}]")
_CUT = regex.compile(r"\s[\p{Pd}(\[]|[(\[\u3010\uff08;:\uff1b\uff1a]\s*|(?<=\p{L}{4})\.\s")
_LIST = regex.compile(r"\s*[,&/\u3001\uff0c+]\s*")
_EDGE = " .,;:!?\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f*_`"


class By(StrEnum):
    """How a fact tells which entity it is about."""

    VALUE = "value"  # its value is the entity's name
    KEY = "key"  # the name stands in its key
    ALIAS = "alias"  # its value is one more name
    ROLE = "role"  # only its role does: "the dog"
    HEAD = "head"  # the key begins with what may be the name of something known


@dataclass(frozen=True)
class Name:
    """What an entity is called in one fact, as it is shown, and where that stands."""

    text: str
    by: By


@dataclass(frozen=True)
class Subject:
    """What a fact is about. `role` is "" where only names count; `maybe` may be its name or an attribute."""

    kind: EntityKind | None
    role: str
    by: By
    names: tuple[Name, ...] = ()
    maybe: str = ""

    @property
    def can_be_unnamed(self) -> bool:
        return self.by in (By.ROLE, By.ALIAS) and self.kind in _UNNAMED_OK


@lru_cache(maxsize=512)
def subjects(key: str | None, value: str) -> tuple[Subject, ...]:
    """What a fact under this canonical key is about. Several only where its value names several."""
    if key is None:
        return ()
    role, rest = _role(key)
    if role is None:
        head = key.partition(".")[0]
        plain = "." not in key or head in HEADS or not _is_name(head)
        return () if plain else (Subject(None, "", By.HEAD, (Name(titled(head), By.KEY),)),)
    if not rest:
        return _bare(role, value)
    if rest[0] in _OWN_NAME and len(rest) == 1:
        return _called(role, value, plainly=True) or (Subject(role.kind, role.name, By.ROLE),)
    if _is_name(rest[0], role) and (role.named or (len(rest) > 1 and role.kind in _SEVERAL)):
        return (_slugged(role, rest, value),)
    subject = Subject(role.kind, role.name, By.ROLE, maybe=titled(rest[0]))
    if rest[0] in _NICKNAME and (named := names_in(value, kind=role.kind, plainly=True)):
        return (replace(subject, by=By.ALIAS, names=(Name(named[0], By.ALIAS),), maybe=""),)
    return (subject,)


def titled(segment: str) -> str:
    """A part of a key as a name: `sarah_chen` is Sarah Chen."""
    return " ".join(word[:1].upper() + word[1:] for word in segment.split("_") if word)


def names_in(value: str, *, kind: EntityKind, plainly: bool) -> tuple[str, ...]:
    """The names that a value consists of; none where it is a description.

    plainly: the key itself says that the value is a name, so small letters will do.
    """
    text = _CUT.split(_INVISIBLE.sub("", one_line(value)), maxsplit=1)[0].strip(_EDGE)
    if kind in _SEVERAL:
        several = [part.strip(_EDGE) for part in _LIST.split(_with_commas(text))]
        if len(several) > 1 and all(_looks_like_name(part, kind, False) and len(words(part)) <= 3 for part in several):
            return tuple(dict.fromkeys(several))
    first = text.split(",")[0].strip(_EDGE)
    return (first,) if _looks_like_name(first, kind, plainly) else ()


def _with_commas(text: str) -> str:
    return " ".join("," if word.casefold() in AND else word for word in text.split())


def _looks_like_name(text: str, kind: EntityKind, plainly: bool) -> bool:
    found = words(text)
    if not found or len(text) > MAX_NAME or len(found) > MAX_NAME_WORDS or not _LETTER.search(text):
        return False
    if not name_key(text) or any(word.dense and len(word.key) > MAX_NAME_RUN for word in found):
        return False
    if found[0].key in NO_NAMES or text.casefold() in NO_NAMES:
        return False
    if kind is EntityKind.PROJECT and found[0].capital:
        return True
    if plainly or all(word.capital or word.key in INSIDE_NAMES for word in found):
        return True
    return len(found) == 1 and kind in _CASELESS_OK


def _role(key: str) -> tuple[Role | None, list[str]]:
    """The role under whose key this one lives, by the longest beginning, and what comes after it."""
    segments = key.split(".")
    for length in range(len(segments), 0, -1):
        role = BY_KEY.get(".".join(segments[:length]))
        if role is not None:
            return role, segments[length:]
    return None, segments


def _bare(role: Role, value: str) -> tuple[Subject, ...]:
    """`project = Atlas` names one; `pet = tortoise` says that there is one; `car = blue and old` is about it."""
    called = _called(role, value, plainly=False)
    if called:
        return called
    said = BY_WORD.get(name_key(value))
    if role.kind is EntityKind.PET and said is not None and said.kind is EntityKind.PET:
        return (Subject(said.kind, said.name, By.ROLE),)
    return (Subject(role.kind, role.name, By.ROLE),) if role.kind is EntityKind.VEHICLE else ()


def _called(role: Role, value: str, *, plainly: bool) -> tuple[Subject, ...]:
    return tuple(
        Subject(role.kind, role.name, By.VALUE, (Name(name, By.VALUE),))
        for name in names_in(value, kind=role.kind, plainly=plainly)
    )


def _slugged(role: Role, rest: list[str], value: str) -> Subject:
    """`project.atlas.launch_date`, `person.sarah_chen.name = Sarah Chen`, `device.thermostat = Nest`."""
    names = [Name(titled(rest[0]), By.KEY)]
    if len(rest) == 2 and rest[1] in _OWN_NAME | _NICKNAME:
        by = By.VALUE if rest[1] in _OWN_NAME else By.ALIAS
        names += [Name(name, by) for name in names_in(value, kind=role.kind, plainly=True)[:1]]
    elif len(rest) == 1 and role.kind is EntityKind.DEVICE:
        names += [Name(name, By.ALIAS) for name in names_in(value, kind=role.kind, plainly=False)[:1]]
    return Subject(role.kind, role.name, By.KEY, tuple(names))


def _is_name(segment: str, role: Role | None = None) -> bool:
    attributes = _OF_A_DEVICE if role is not None and role.kind is EntityKind.DEVICE else ATTRIBUTES
    return segment not in attributes and bool(_LETTER.search(segment)) and len(segment) <= MAX_NAME
