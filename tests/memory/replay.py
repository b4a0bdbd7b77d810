"""What the log alone says of every fact's state: replayed, it must give what the table holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.domain.text import same_form
from memory.models import AuditLog, Fact

REDACTED = "[redacted]"
Slot = tuple[str | None, str, str]


@dataclass
class Replay:
    """States by fact id, and the values that the person has taken away, by when.

    `slots` are the facts' keys, values and ops as they are in the end or were before a purge; an edited fact had other
    values before. An answer counts for a value in every space.
    """

    slots: dict[str, Slot]
    said_at: dict[int, datetime]
    deleted_at: dict[str, datetime]
    states: dict[str, str] = field(default_factory=dict)
    held: dict[str, Slot] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    deleted: dict[Slot, datetime] = field(default_factory=dict)
    rejected: set[Slot] = field(default_factory=set)
    joined: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, row: AuditLog) -> None:
        told, event = row.payload, row.event_type.removeprefix("memory.fact.")
        if told.get("subject") == "key_alias" and told.get("did") == "added":
            self._join(told["alias"], told["key"])
        if event == row.event_type:
            return
        fact_id, old = told.get("fact_id"), _old(told)
        self._learn(event, told, fact_id)
        if row.actor == "worker":
            self._unbidden(event, told)
        if event == "added":
            self._set("current", fact_id)
        elif event == "updated":
            self._updated(told, fact_id, old)
        elif event == "proposed":
            self._set("pending", fact_id)
        elif event == "retracted":
            self._set("retracted", *(old or [fact_id]), *([fact_id] if fact_id not in self.states else []))
        elif event == "expired":
            self._set("retracted", fact_id)
        elif event == "approved":
            self._approved(told, fact_id, old)
        elif event == "rejected":
            self._set("rejected", fact_id)
            self.rejected.add(self._slot(fact_id))
        elif event == "user_edited" and told.get("kept"):
            current = "current" in self.states.get(fact_id, "")
            self._set("superseded" if current else "rejected", told["kept"])
        elif event == "user_deleted":
            self._deleted(row, [fact_id, *told.get("with", [])])
        elif event == "reverted":
            self._reverted(told, fact_id, old)
        elif event == "deleted" and self.states.get(fact_id) != "deleted":
            self.wrong.append(f"purged although {self.states.get(fact_id)}: {self._slot(fact_id)}")
        self._set("superseded", *told.get("folded", []))
        if event in ("approved", "reverted", "user_edited") or told.get("authored"):
            self._forgiven(fact_id)

    def _learn(self, event: str, told: dict[str, Any], fact_id: str | None) -> None:
        """What the facts said at this moment, where the log still has it."""
        if told.get("kept") and fact_id:
            self.held[told["kept"]] = self._slot(fact_id)
        new = told.get("new")
        value = told.get("value") or (new.get("value") if isinstance(new, dict) else None)
        if value == REDACTED and fact_id:
            self.held[fact_id] = self.slots[fact_id]  # what it said last is what was purged
        elif value and fact_id and event != "confirmed":
            key, _, op = self.held.get(fact_id, self.slots[fact_id])
            self.held[fact_id] = (key, same_form(value), op)

    def _unbidden(self, event: str, told: dict[str, Any]) -> None:
        """What a reading does must not bring back what the person took away."""
        if event not in ("added", "updated", "proposed", "confirmed") or told.get("history") or told.get("op"):
            return
        slot = self._slot(told["fact_id"])
        if slot in self.rejected:
            self.wrong.append(f"{event} although rejected: {slot}")
        if slot in self.deleted:
            again = self.said_at[told["source_audit_id"]] > self.deleted[slot]
            if event not in ("proposed", "confirmed") or not again:
                self.wrong.append(f"{event} although deleted: {slot}")

    def _updated(self, told: dict[str, Any], fact_id: str, old: list[str]) -> None:
        moved = "was_key" in told or isinstance(told.get("new"), dict)
        if told.get("superseded_by"):
            self._set("superseded", fact_id)
        elif moved:
            self._set("pending" if "space_removed" in told.get("reasons", ()) else self.states[fact_id], fact_id)
        else:
            self._set("past" if told.get("history") else "current", fact_id)
            self._set("superseded", *old)

    def _approved(self, told: dict[str, Any], fact_id: str, old: list[str]) -> None:
        if told.get("kept"):
            self._set("rejected", told["kept"])
            if self._slot(told["kept"])[2] != "retract":
                self.rejected.add(self._slot(told["kept"]))
        if told["did"] in ("closes", "nothing"):
            self._set("retracted", fact_id, *old)
        elif told["did"] == "confirms":
            self._set("superseded", fact_id)
        else:
            self._set("current", fact_id)
            self._set("superseded", *old)

    def _deleted(self, row: AuditLog, gone: list[str | None]) -> None:
        for fact_id in filter(None, gone):
            self.before[fact_id] = self.states.get(fact_id, "?")
        self._set("deleted", *filter(None, gone))
        for slot in {self._slot(fact_id) for fact_id in filter(None, gone)}:
            if row.payload.get("asked_for"):
                self.deleted[slot] = self.said_at[row.payload["source_audit_id"]]
            elif not any(s == "current" and self._slot(other) == slot for other, s in self.states.items()):
                # The log's row is written a moment after the time that counts.
                self.deleted[slot] = min([row.at, *(self.deleted_at[i] for i in gone if i in self.deleted_at)])

    def _reverted(self, told: dict[str, Any], fact_id: str, old: list[str]) -> None:
        if "undeleted" not in told:
            self._set("current", fact_id)
            self._set("superseded", *old)
            return
        for back in told["undeleted"]:
            was = self.before.get(back, "?")
            self.states[back] = "current or superseded" if was == "current" else was
            self.deleted.pop(self._slot(back), None)

    def _join(self, alias: str, key: str) -> None:
        """Two spellings are one from now on, for answers given before too."""
        self.joined[alias] = key
        self.rejected = {self._one(slot) for slot in self.rejected}
        self.deleted = {self._one(slot): at for slot, at in sorted(self.deleted.items(), key=lambda pair: pair[1])}

    def _forgiven(self, fact_id: str) -> None:
        self.deleted.pop(self._slot(fact_id), None)
        self.rejected.discard(self._slot(fact_id))

    def _slot(self, fact_id: str) -> Slot:
        return self._one(self.held.get(fact_id, self.slots[fact_id]))

    def _one(self, slot: Slot) -> Slot:
        return (self.joined.get(slot[0] or "", slot[0]), *slot[1:])

    def _set(self, state: str, *fact_ids: str | None) -> None:
        for fact_id in filter(None, fact_ids):
            self.states[fact_id] = state

    def differences(self, facts: Iterable[Fact]) -> Iterator[str]:
        """Where the table holds another state than the log tells."""
        for fact in facts:
            told = self.states.get(str(fact.id), "nothing")
            if told == "past":
                told = fact.state if fact.state in ("superseded", "retracted") else told
            if fact.state not in told.split(" or ") and not self._silent(fact):
                yield f"{fact.key}={fact.value} is {fact.state}, the log says {told}"

    @staticmethod
    def _silent(fact: Fact) -> bool:
        """A closing word of somebody who asked to forget is no fact."""
        return fact.op == "retract" and fact.state in ("deleted", "retracted")


def _old(told: dict[str, Any]) -> list[str]:
    old = told.get("old")
    return [each["fact_id"] for each in old] if isinstance(old, list) else []
