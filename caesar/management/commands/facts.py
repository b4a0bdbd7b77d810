"""`manage.py facts`: what is known, to be looked through and corrected."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandParser

from caesar.api.facts import STATUSES
from caesar.management import facts_shown
from caesar.management.command import Verb, add_verb, add_whose, shown, whose
from caesar.management.printing import add_json, as_json
from caesar.management.terminal import columns_of, text_argument
from memory import fact_selectors, facts, operations, selectors
from memory.db import profile_scope
from memory.domain.text import clean
from memory.domain.types import Category
from memory.errors import InvalidInput, NotFound
from memory.fact_selectors import Standing, Wanted
from memory.models import Fact
from memory.selectors import FactFilter

ACTOR = "operator"
NEVER = "never"
VERBS = {
    "list": "list what is known, the newest first",
    "show": "show one fact: its words, where it comes from, what it said before",
    "add": "write a fact yourself; it holds at once",
    "edit": "correct a fact; what it said before stays as history",
    "approve": "let a proposal hold, perhaps corrected",
    "reject": "turn a proposal down; it is not raised again",
    "delete": "take a fact out of every answer and list",
    "undo": "take a deletion back",
    "revert": "let a former value hold again",
    "conflicts": "list proposals that would change what holds, each beside it",
}
EXAMPLES = {
    "list": ("facts list --q dog", "facts list --status pending", "facts list --deleted"),
    "add": ('facts add "Beans" --key dog.name', 'facts add "Never call before nine" --category preference'),
    "edit": ('facts edit 3f2a91c0 --value "Beans the Second"', "facts edit 3f2a91c0 --expires-at never --everywhere"),
    "delete": ("facts delete 3f2a91c0",),
}


class Command(Verb):
    help = (
        "Look through what is known and correct it. A fact is named by its id, or by the first or last letters of it, "
        "at least four, as `list` shows them."
    )
    examples = ("facts list --q dog", 'facts add "Beans" --key dog.name', "facts delete 3f2a91c0")

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))
        own = {name: add_verb(verbs, name, told) for name, told in VERBS.items()}
        _add_filters(own["list"])
        for name in ("show", "edit", "approve", "reject", "delete", "undo", "revert"):
            own[name].add_argument("id", metavar="ID", help="which: its id, or the beginning or the end of it")
        own["add"].add_argument("value", metavar="TEXT", type=text_argument, help="what it says")
        own["add"].add_argument("--key", type=text_argument, help="such as dog.name (default: none, a narrative)")
        for name in ("edit", "approve"):
            own[name].add_argument("--value", metavar="TEXT", type=text_argument, help="what it says from now on")
            own[name].add_argument("--confidence", type=float, metavar="0..1", help="how sure it is")
        for name in ("add", "edit", "approve"):
            _add_fields(own[name], may_move=name != "add")
        for name, verb in own.items():
            add_whose(verb)
            add_json(verb)
            if name in EXAMPLES:
                verb.epilog, verb.formatter_class = shown(EXAMPLES[name]), parser.formatter_class

    def handle(self, *args: Any, **options: Any) -> None:
        self._profile = whose(options)
        self._json = options["json"]
        getattr(self, f"_{options['verb']}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        with self._scope():
            if options["deleted"]:
                rows = fact_selectors.listed(profile_id=self._profile.id, wanted=_deleted(options))
            else:
                rows = selectors.facts_listed(profile_id=self._profile.id, wanted=_filter(options))
            found = list(rows.order_by("-id"))
            if self._json:
                self.stdout.write(as_json(facts_shown.all_as_data(found, self._profile)))
            else:
                self.stdout.write(self._table(found) if found else "There is no such fact.")

    def _show(self, options: dict[str, Any]) -> None:
        fact_id = self._named(options)
        with self._scope():
            fact = self._read(fact_id)
            before = list(selectors.history(profile_id=self._profile.id, fact=fact))
            if self._json:
                data = facts_shown.as_data(fact, self._profile)
                self.stdout.write(as_json(data | {"history": facts_shown.all_as_data(before, self._profile)}))
                return
            self.stdout.write(facts_shown.whole(fact, self._profile))
            if [row.id for row in before] not in ([], [fact.id]):
                self.stdout.write(f"\nWhat is and was so, the newest first:\n\n{self._table(before)}")

    def _add(self, options: dict[str, Any]) -> None:
        fields = {name: options[name] for name in ("key", "value") if options[name] is not None} | _fields(options)
        self._tell("Added", facts.author(profile_id=self._profile.id, fields=fields, actor=ACTOR).id)

    def _edit(self, options: dict[str, Any]) -> None:
        changes = _changes(options)
        if not changes:
            raise InvalidInput("Say what to change: --value, --category, --space, ...; `facts edit --help` has all.")
        self._step("Saved", facts.edit, options, changes=changes)

    def _approve(self, options: dict[str, Any]) -> None:
        self._step("Approved", facts.approve, options, changes=_changes(options))

    def _reject(self, options: dict[str, Any]) -> None:
        self._step("Rejected", facts.reject, options)

    def _revert(self, options: dict[str, Any]) -> None:
        self._step("Holds again", facts.revert, options)

    def _undo(self, options: dict[str, Any]) -> None:
        self._step("Taken back", facts.undelete, options)

    def _delete(self, options: dict[str, Any]) -> None:
        fact_id = self._named(options)
        with self._scope():
            fact = self._read(fact_id)
            gone = facts_shown.said(fact, self._profile)
        facts.delete(profile_id=self._profile.id, fact_id=fact_id, actor=ACTOR)
        until = datetime.now(UTC) + facts.undo_time()
        if self._json:
            self.stdout.write(as_json({"id": str(fact_id), "status": "deleted", "undo_until": until.isoformat()}))
            return
        hours = facts.undo_time().total_seconds() / 3600
        undone = f"`facts undo {facts_shown.short(fact)}` takes that back within {hours:g} hours."
        self.stdout.write(f"Deleted: {gone}\n{undone if hours else 'That cannot be taken back.'}")

    def _conflicts(self, options: dict[str, Any]) -> None:
        with self._scope():
            found = selectors.conflicts(profile_id=self._profile.id)
            if self._json:
                self.stdout.write(as_json(facts_shown.conflicts_as_data(found, self._profile)))
            else:
                shown = facts_shown.conflicts(found, self._profile)
                self.stdout.write(shown or "No proposal would change what holds.")

    def _step(self, did: str, verb: Callable[..., Fact], options: dict[str, Any], **more: Any) -> None:
        """One verb on one fact."""
        self._tell(did, verb(profile_id=self._profile.id, fact_id=self._named(options), actor=ACTOR, **more).id)

    def _named(self, options: dict[str, Any]) -> uuid.UUID:
        deleted = options["verb"] == "undo"
        return operations.fact_named(profile_id=self._profile.id, named=options["id"], deleted=deleted)

    def _tell(self, did: str, fact_id: uuid.UUID) -> None:
        """The fact as it stands now."""
        with self._scope():
            fact = self._read(fact_id)
            if self._json:
                self.stdout.write(as_json(facts_shown.as_data(fact, self._profile)))
            else:
                standing = facts_shown.standing(fact)
                told = f"{did}: {facts_shown.said(fact, self._profile)}"
                self.stdout.write(f"{told}; {standing}" if standing and did != "Rejected" else told)

    def _read(self, fact_id: uuid.UUID) -> Fact:
        """Call inside the scope."""
        fact = selectors.fact(profile_id=self._profile.id, fact_id=fact_id)
        if fact is None:  # somebody deleted it in this very moment
            raise NotFound("There is no such fact.")
        return fact

    def _scope(self) -> AbstractContextManager[None]:
        return profile_scope(self._profile.id)

    def _table(self, rows: list[Fact]) -> str:
        return facts_shown.table(rows, self._profile, columns=columns_of(self.stdout))


def _add_filters(parser: CommandParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--status", choices=STATUSES, help="what was decided (default: approved, and holds now)")
    which.add_argument("--all", "--history", action="store_true", help="what held before, too")
    which.add_argument("--deleted", action="store_true", help="what was deleted and can be taken back")
    parser.add_argument("--key", metavar="KEY", type=text_argument, help="this key, in whatever spelling")
    parser.add_argument("--category", choices=[c.value for c in Category], help="this category")
    parser.add_argument("--space", metavar="NAME", type=text_argument, help="what belongs to this space alone")
    parser.add_argument("--q", metavar="TEXT", type=text_argument, help="what has this text in its key or value")
    parser.add_argument("--entity", metavar="NAME", type=text_argument, help="what is about this person or thing")


def _add_fields(parser: CommandParser, *, may_move: bool) -> None:
    parser.add_argument("--category", choices=[c.value for c in Category], help="what kind of fact it is")
    parser.add_argument("--importance", type=float, metavar="0..1", help="how much it matters")
    never = ", or never" if may_move else ""
    parser.add_argument("--expires-at", metavar="TIME", help=f"when it ends, such as 2030-01-31T09:00:00+02:00{never}")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--space", metavar="NAME", type=text_argument, help="the space that it belongs to")
    if may_move:
        where.add_argument("--everywhere", action="store_true", help="it belongs to no space: it holds in all")


def _filter(options: dict[str, Any]) -> FactFilter:
    given = {name: clean(options[name] or "") or None for name in ("key", "space", "q", "entity")}
    return FactFilter(
        status=options["status"], category=options["category"], include_superseded=options["all"], **given
    )


def _deleted(options: dict[str, Any]) -> Wanted:
    if options["key"] or options["entity"]:
        raise InvalidInput("--deleted goes with --q, --category and --space.")
    return Wanted(Standing.DELETED, q=options["q"], category=options["category"], space=options["space"])


def _fields(options: dict[str, Any]) -> dict[str, Any]:
    """What was given of what every fact has."""
    names = ("category", "importance", "space", "expires_at")
    return {name: options[name] for name in names if options[name] is not None}


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    changes = {name: options[name] for name in ("value", "confidence") if options[name] is not None}
    changes |= _fields(options)
    if options["everywhere"]:
        changes["space"] = None
    if options["expires_at"] == NEVER:
        changes["expires_at"] = None
    return changes
