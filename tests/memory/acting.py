"""Everything that workers and a person may do to facts, as acts that hypothesis can draw and threads can do at once."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from memory import audit, facts, key_aliases, keys, prune, spaces
from memory.db import profile_scope
from memory.domain.keys import canonical
from memory.domain.text import same_form
from memory.domain.types import Op
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Conversation, Event, Fact, Space
from tests.memory.saying import now, said
from tests.people import Person

VALUES = {
    "city": ("Graz", "Linz", "Wels"),
    "town": ("Graz", "Linz"),
    "dog.name": ("Pixel", "Byte"),
    "tool": ("saw", "axe"),  # a key that nobody knows: one value or many, as it comes
    None: ("Likes fog",),
}
SLOTS = [(key, value) for key, values in VALUES.items() for value in values]
WORK = "work"
Slot = tuple[str | None, str, str]


@st.composite
def words(draw: st.DrawFn, *, spaces: bool = True) -> dict[str, Any]:
    """One thing that a chat says."""
    key, value = draw(st.sampled_from(SLOTS))
    kind = draw(st.sampled_from(["set"] * 6 + ["doubt", "review", "close", "close_all", "forget"]))
    if kind == "close_all" and key is not None:
        value = key.split(".")[0]
    return {
        "key": key,
        "value": value,
        "op": Op.RETRACT if kind in ("close", "close_all", "forget") else Op.SET,
        "current": kind not in ("doubt", "review"),
        "reasons": {"review": ("review",), "doubt": ("not_grounded",)}.get(kind, ()),
        "grounded": kind != "doubt",
        "forget": kind == "forget",
        "many": key == "dog.name" or (key == "tool" and draw(st.booleans())),
        "space": draw(st.sampled_from([None, None, None, WORK])) if spaces else None,
    }


N = st.integers(0, 20)
READ = st.tuples(st.just("read"), st.integers(0, 5))
PERSON = st.one_of(
    st.tuples(st.sampled_from(["approve", "reject", "delete", "undelete", "revert"]), N),
    st.tuples(
        st.sampled_from(["approve", "edit"]), N, st.sampled_from([{"value": v} for v in ("Graz", "Byte", "Rex")])
    ),
    st.tuples(st.just("edit"), N, st.sampled_from([{"space": WORK}, {"space": None}, {"importance": 0.9}])),
    st.tuples(st.just("edit"), N, st.just({"expires_at": "1999-01-01T00:00:00Z"})),
    st.tuples(st.just("author"), st.sampled_from(SLOTS), st.sampled_from([None, None, WORK])),
    st.tuples(st.just("bulk"), st.sampled_from(["approve", "reject", "delete"]), st.lists(N, min_size=1, max_size=4)),
)
UPKEEP = st.one_of(
    st.tuples(st.sampled_from(["expire", "purge", "alias", "unalias"])),
    st.tuples(st.just("prune"), st.integers(0, 5), st.booleans()),
    st.tuples(st.just("leave"), st.sampled_from(["keep", "delete"])),
)
ACTS = st.one_of(READ, READ, PERSON, PERSON, UPKEEP)

VERBS: dict[str, Any] = {
    "approve": facts.approve,
    "reject": facts.reject,
    "delete": facts.delete,
    "undelete": facts.undelete,
    "revert": facts.revert,
    "edit": facts.edit,
}
BULK = {"approve": facts.approve_many, "reject": facts.reject_many, "delete": facts.delete_many}


class Chats:
    """Six chats: some were said an hour ago, each at its minute, some are said when they are first read."""

    def __init__(self, who: Person, contents: Sequence[tuple[bool, list[dict[str, Any]]]]) -> None:
        self.who, self.contents = who, contents
        self.seen: dict[str, Slot] = {}  # what facts said before they were purged
        self._lock = threading.Lock()
        self._rows: dict[int, tuple[int, datetime]] = {}
        self._start = now() - timedelta(hours=1)

    def row(self, n: int) -> tuple[int, datetime]:
        with self._lock:
            if n not in self._rows:
                at = now() if self.contents[n][0] else self._start + timedelta(minutes=n)
                self._rows[n] = (self._chat(n, at), at)
            return self._rows[n]

    def _chat(self, n: int, at: datetime) -> int:
        with profile_scope(self.who.profile_id):
            space = Space.objects.get(slug="general")
            where = Conversation.objects.create(profile_id=self.who.profile_id, space=space, client_id=f"c{n}")
            chat = (Event.CHAT_COMPLETED, self.who.profile_id, {}, "person", where.id)
            audit_id = audit.draw_id()
            audit.record(audit.Entry(*chat, said_at=at, id=audit_id))
            return audit_id

    def read(self, n: int) -> None:
        """What a worker does when the model has answered."""
        n %= len(self.contents)
        audit_id, at = self.row(n)
        with profile_scope(self.who.profile_id):
            facts.lock(self.who.profile_id)
            if not AuditLog.objects.filter(id=audit_id).exists():
                return  # pruned: the work went with it
            aliases = key_aliases.active(self.who.profile_id)
            work = Space.objects.filter(slug=WORK, removed_at__isnull=True).values_list("id", flat=True).first()
            told = []
            for place, word in enumerate(self.contents[n][1]):
                key = word["key"] and canonical(word["key"], aliases)
                more = word | {"key": key, "space_id": work if word["space"] else None, "said_in": work}
                del more["space"]
                told.append(said(audit_id=audit_id, at=at, place=(0, place), **more))
            facts.apply(profile_id=self.who.profile_id, told=told, conversation_id=None)

    def said_at(self) -> dict[int, datetime]:
        return dict(self._rows.values())

    def remember(self) -> None:
        with profile_scope(self.who.profile_id):
            for row in Fact.objects.exclude(value=""):
                self.seen[str(row.id)] = slot_of(row)


def slot_of(row: Fact) -> Slot:
    return row.key, same_form(row.value), "retract" if row.op == "retract" else "set"


def act(who: Person, chats: Chats, what: Sequence[Any]) -> None:
    """Do one act; what cannot be done is refused in the way that the verbs promise, and in no other."""
    name, *rest = what
    with suppress(Conflict, NotFound, InvalidInput):
        if name == "read":
            chats.read(rest[0])
        elif name == "author":
            (key, value), space = rest
            fields = {"key": key, "value": value, "space": space}
            facts.author(profile_id=who.profile_id, fields=fields)
        elif name == "bulk":
            chosen = [fact_id for n in rest[1] if (fact_id := _fact(who, n))]
            BULK[rest[0]](profile_id=who.profile_id, ids=chosen)
        elif name in VERBS:
            fact_id = _fact(who, rest[0])
            more = {"changes": rest[1]} if len(rest) > 1 else {}
            if fact_id:
                VERBS[name](profile_id=who.profile_id, fact_id=fact_id, **more)
        else:
            _upkeep(who, chats, name, rest)


def _fact(who: Person, n: int) -> uuid.UUID | None:
    with profile_scope(who.profile_id):
        ids = list(Fact.objects.order_by("created_at", "id").values_list("id", flat=True))
    return ids[n % len(ids)] if ids else None


def _upkeep(who: Person, chats: Chats, name: str, rest: Sequence[Any]) -> None:
    profile_id = who.profile_id
    if name == "expire":
        facts.expire(profile_id=profile_id, most=100)
    elif name == "purge":
        before = now()
        chats.remember()
        facts.purge(profile_id=profile_id, before=before, most=100)
    elif name == "alias":
        keys.add_alias(profile_id=profile_id, fields={"alias": "town", "key": "city"})
    elif name == "unalias":
        keys.remove_alias(profile_id=profile_id, alias="town")
    elif name == "prune":
        prune.prune(profile_id=profile_id, conversation_id=f"c{rest[0]}", with_facts=rest[1])
    elif name == "leave":
        spaces.remove_space(profile_id=profile_id, slug=WORK, facts_to=rest[0])
        spaces.create_space(profile_id=profile_id, fields={"slug": WORK})
