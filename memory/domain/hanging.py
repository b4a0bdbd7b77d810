"""Which entity a fact hangs on, and which it names: an existing one, a new one, or none where that is not sure.

Pure: the caller reads what is called so already, under the lock, and writes what comes out.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .entities import By, Name, Subject, subjects
from .names import Spot, first_key, firsts, is_everyday_word, name_key, spots
from .roles import BY_WORD, MINE, ROLES, EntityKind, compatible, narrower

NAMING = (By.VALUE, By.KEY)
_TAKEN_OVER = (EntityKind.PERSON, EntityKind.PET, EntityKind.VEHICLE)


@dataclass(frozen=True)
class Link:
    """That a fact is about an entity (`by` says how it tells) or only mentions it (`by` is None)."""

    fact_id: uuid.UUID
    entity_id: uuid.UUID
    kind: EntityKind | None = None
    by: By | None = None
    role: str = ""
    name: str = ""
    name_key: str = ""


@dataclass(frozen=True)
class Called:
    """A link that is there already, as far as it tells who is meant. `current`: its fact holds now."""

    entity_id: uuid.UUID
    kind: EntityKind
    by: By
    role: str
    name: str
    name_key: str
    current: bool

    @property
    def given(self) -> str:
        """The first name of a person with several, as it is compared."""
        several = self.kind is EntityKind.PERSON and " " in self.name_key
        return first_key(self.name_key) if several else ""


@dataclass(frozen=True)
class Item:
    """A fact to be hung. `held` is the entity that it hung on before its value was edited."""

    fact_id: uuid.UUID
    key: str | None
    value: str
    quote: str = ""
    current: bool = True
    held: uuid.UUID | None = None


@dataclass
class Hung:
    """What to write: each fact's entity, the links, and the entities that are new."""

    main: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    new: dict[uuid.UUID, EntityKind] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """What has to be read before items can be hung: links whose name begins so, and links in these roles."""

    firsts: frozenset[str]
    roles: frozenset[str]


def wanted(items: Sequence[Item]) -> Wanted:
    """Everything that these facts could be about or name."""
    found: set[str] = set()
    roles: set[str] = set()
    for item in items:
        for text in (item.value, item.quote):
            found |= firsts(text)
            roles.update(*map(narrower, _own_roles(text)))
        for subject in subjects(item.key, item.value):
            names = [_key(name, subject.kind) for name in subject.names]
            found.update(map(first_key, (*names, name_key(subject.maybe))))
            roles.update(narrower(subject.role) if _by_role(subject) else ())
    return Wanted(frozenset(found - {""}), frozenset(roles))


class Book:
    """What is called how."""

    def __init__(self, rows: Iterable[Called] = ()) -> None:
        self.rows: list[Called] = []
        self.by_name: dict[str, list[Called]] = {}
        self._by_first: dict[str, set[str]] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Called) -> None:
        self.rows.append(row)
        for key in {row.name_key, row.given} - {""}:
            self.by_name.setdefault(key, []).append(row)
            self._by_first.setdefault(first_key(key), set()).add(key)

    def named(self, key: str) -> list[Called]:
        """What has exactly this name."""
        return [row for row in self.by_name.get(key, ()) if row.name_key == key]

    def in_role(self, role: str) -> list[Called]:
        roles = narrower(role)
        return [row for row in self.rows if row.role in roles]

    def named_in(self, text: str) -> set[uuid.UUID]:
        """What a text names, the longest names first, each place once. A name of two of a kind names neither."""
        has_capitals = not text.islower()
        taken: list[Spot] = []
        found: set[uuid.UUID] = set()
        for spot in sorted(spots(text, self._by_first), key=lambda spot: -spot.length):
            if any(spot.first < other.last and other.first < spot.last for other in taken):
                continue
            rows = self.by_name[spot.name_key]
            word = has_capitals and not spot.capital and is_everyday_word(spot.name_key)
            if word and not all(row.name.islower() for row in rows):
                continue
            taken.append(spot)
            for kind in {row.kind for row in rows}:
                row = _best([r for r in self.named(spot.name_key) if r.kind is kind], "")
                row = row or _best([r for r in rows if r.kind is kind], "")
                if row is not None:
                    found.add(row.entity_id)
        return found


def hang(items: Sequence[Item], there: Iterable[Called], new_id: Callable[[], uuid.UUID]) -> Hung:
    """Decide for all facts of a batch together; those that name something come first."""
    board = _Board(there, new_id)
    order = {By.VALUE: 0, By.KEY: 1, By.ALIAS: 2, By.ROLE: 3, By.HEAD: 4}
    found = [(subject, item) for item in items for subject in subjects(item.key, item.value)]
    several = {item.fact_id for item in items if len(subjects(item.key, item.value)) > 1}
    for subject, item in sorted(found, key=lambda pair: order[pair[0].by]):
        board.take(item, subject, main=item.fact_id not in several)
    for item in items:
        board.mention(item)
    return board.hung


class _Board:
    """What is called how, while facts are taken one after another."""

    def __init__(self, there: Iterable[Called], new_id: Callable[[], uuid.UUID]) -> None:
        self.book = Book(there)
        self.hung = Hung()
        self.new_id = new_id

    def take(self, item: Item, subject: Subject, *, main: bool) -> None:
        entity = self._entity(item, subject)
        if entity is None:
            return
        entity_id, kind = entity
        if main:
            self.hung.main[item.fact_id] = entity_id
        if not subject.names or subject.by is By.HEAD:
            self._link(item, entity_id, kind, subject.by, subject.role, Name("", subject.by))
        for name in subject.names if subject.by is not By.HEAD else ():
            self._link(item, entity_id, kind, name.by, subject.role, name)

    def mention(self, item: Item) -> None:
        about = {link.entity_id for link in self.hung.links if link.fact_id == item.fact_id}
        found = self.book.named_in(item.value) | self._by_own_role(item.value)
        if not found and item.key is None and item.quote:
            found = self.book.named_in(item.quote) | self._by_own_role(item.quote)
        self.hung.links.extend(Link(item.fact_id, entity_id) for entity_id in sorted(found - about))

    def _entity(self, item: Item, subject: Subject) -> tuple[uuid.UUID, EntityKind] | None:
        if subject.by is By.HEAD:
            row = _only(self.book.named(_key(subject.names[0], None)))
            return (row.entity_id, row.kind) if row else None
        assert subject.kind is not None
        found = self._existing(item, subject, subject.kind)
        if found is None and self._may_make(subject, subject.kind):
            found = self.new_id()
            self.hung.new[found] = subject.kind
        return (found, subject.kind) if found is not None else None

    def _existing(self, item: Item, subject: Subject, kind: EntityKind) -> uuid.UUID | None:
        if item.held is not None and subject.by is not By.KEY and _is_renamed(kind):
            return item.held
        row = _best(self._so_called(subject, kind), subject.role)
        if row is not None:
            return row.entity_id
        return self._taken_over(subject, kind) if subject.by in NAMING else self._by_role(subject, item)

    def _may_make(self, subject: Subject, kind: EntityKind) -> bool:
        """Not where it could be one of two that are there already."""
        if subject.by in NAMING:
            return not self._so_called(subject, kind)
        return subject.can_be_unnamed and not any(row.current for row in self.book.in_role(subject.role))

    def _so_called(self, subject: Subject, kind: EntityKind) -> list[Called]:
        """What has one of the subject's names; two friends called Tom by other roles are two."""
        names = [name for name in subject.names if name.by in NAMING]
        keys = {_key(name, kind) for name in names} | {name_key(subject.maybe)} - {""}
        rows = [row for key in keys for row in self.book.named(key) if row.kind is kind]
        if kind not in (EntityKind.PERSON, EntityKind.PET):
            return rows
        return [
            r for r in rows if compatible(r.role, subject.role) or (kind is EntityKind.PERSON and " " in r.name_key)
        ]

    def _taken_over(self, subject: Subject, kind: EntityKind) -> uuid.UUID | None:
        """Who had no name until now, or is called by a longer or shorter one: "Mia Berg" is the spouse Mia."""
        if subject.by is not By.VALUE or kind not in _TAKEN_OVER:
            return None
        rows = self.book.in_role(subject.role)
        if ROLES[subject.role].single:
            mine = set(_key(subject.names[0], kind).split())
            same = {r.entity_id for r in rows if r.by in NAMING and _overlap(mine, set(r.name_key.split()))}
            if len(same) == 1:
                return same.pop()
        named = {r.entity_id for r in rows if r.by in NAMING}
        unnamed = {r.entity_id for r in rows} - named
        holds = any(r.by in NAMING and r.current for r in rows)
        return next(iter(unnamed)) if len(unnamed) == 1 and not holds else None

    def _by_role(self, subject: Subject, item: Item) -> uuid.UUID | None:
        rows = self.book.in_role(subject.role)
        holders = {r.entity_id for r in rows if r.by in NAMING and r.current}
        if len(holders) > 1:
            holders &= self.book.named_in(item.value) | self.book.named_in(item.quote)
        elif not holders:
            holders = {r.entity_id for r in rows} - {r.entity_id for r in rows if r.by in NAMING}
        return next(iter(holders)) if len(holders) == 1 else None

    def _by_own_role(self, text: str) -> set[uuid.UUID]:
        """ "My dog hates rain" is about the one dog that there is."""
        found = set()
        for role in _own_roles(text):
            holders = {r.entity_id for r in self.book.in_role(role) if r.current}
            found |= holders if len(holders) == 1 else set()
        return found

    def _link(self, item: Item, entity_id: uuid.UUID, kind: EntityKind, by: By, role: str, name: Name) -> None:
        key = _key(name, kind) if name.text else ""
        self.hung.links.append(Link(item.fact_id, entity_id, kind, by, role, name.text, key))
        self.book.add(Called(entity_id, kind, by, role, name.text, key, item.current))


def _own_roles(text: str) -> Iterator[str]:
    """The roles that a text speaks of as the person's own: "my dog", "unser Hund"."""
    said = text.casefold().split()
    for before, word in pairwise(said):
        if before in MINE:
            role = BY_WORD.get(name_key(word.removesuffix("'s").removesuffix("\u2019s")))
            if role is not None:
                yield role.name


def _best(rows: Sequence[Called], role: str) -> Called | None:
    """The one that is meant: of this very role and called so now, if there is one; None where there are two."""
    for choice in (
        [r for r in rows if r.role == role and r.current],
        [r for r in rows if r.current],
        [r for r in rows if r.role == role],
        rows,
    ):
        if choice:
            return _only(choice)
    return None


def _only(rows: Sequence[Called]) -> Called | None:
    return rows[0] if len({row.entity_id for row in rows}) == 1 else None


def _by_role(subject: Subject) -> bool:
    """Whether it matters who else has the role."""
    return subject.by in (By.ROLE, By.ALIAS) or (subject.by is By.VALUE and subject.kind in _TAKEN_OVER)


def _is_renamed(kind: EntityKind) -> bool:
    """Of these a correction changes the name; a corrected city or employer is another one."""
    return kind not in (EntityKind.PLACE, EntityKind.ORGANISATION)


def _key(name: Name, kind: EntityKind | None) -> str:
    return name_key(name.text, organisation=kind is EntityKind.ORGANISATION)


def _overlap(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)
