"""What an import did, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Import, ImportState
from memory.portable.importing import Report

FORMATS = {
    "caesar": gettext_lazy("an export of this product"),
    "chatgpt": gettext_lazy("conversations of ChatGPT"),
    "claude": gettext_lazy("conversations of Claude"),
    "openwebui": gettext_lazy("chats of Open WebUI"),
    "mem0": gettext_lazy("memories of mem0"),
    "facts": gettext_lazy("a list of facts"),
    "caesar-sqlite": gettext_lazy("an SQLite file of CAESAR"),
    "braincue": gettext_lazy("a BrainCue database"),
}
KINDS = {
    "spaces": gettext_lazy("Spaces"),
    "aliases": gettext_lazy("Spellings of keys"),
    "conversations": gettext_lazy("Conversations"),
    "chats": gettext_lazy("Chats"),
    "messages": gettext_lazy("Messages"),
    "facts": gettext_lazy("Facts"),
    "summaries": gettext_lazy("Summaries"),
    "answers": gettext_lazy("What you deleted or rejected"),
}
BECAME = {
    "new": gettext_lazy("new"),
    "known": gettext_lazy("known already"),
    "continued": gettext_lazy("continued"),
    "waiting": gettext_lazy("waiting for your review"),
    "history": gettext_lazy("held before"),
    "closed": gettext_lazy("held until a time that is over"),
    "outdated": gettext_lazy("doubtful and outdated, left out"),
    "deleted before": gettext_lazy("deleted by you before, left out"),
    "deleted or rejected before": gettext_lazy("deleted or rejected by you before, left out"),
    "refused as sensitive": gettext_lazy("too sensitive to be kept, left out"),
    "off the record": gettext_lazy("said off the record, left out"),
    "unusable": gettext_lazy("unusable, left out"),
    "of another installation": gettext_lazy("of another installation, where alone they mean something"),
}
STATES = {
    ImportState.RUNNING: gettext_lazy("running, or broken off: the same file again goes on"),
    ImportState.DONE: gettext_lazy("done"),
    ImportState.FAILED: gettext_lazy("failed"),
}


@dataclass(frozen=True)
class Shown:
    """One import of the list."""

    row: Import
    format: str
    state: str
    counts: list[str]
    unread: int


def format_of(name: str) -> str:
    return str(FORMATS.get(name, name))


def counts_of(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A line for each kind: "Facts: 3 new, 1 known already"."""
    return [
        _("%(kind)s: %(counts)s")
        % {
            "kind": KINDS.get(kind, kind),
            "counts": ", ".join(f"{count} {BECAME.get(became, became)}" for became, count in of.items()),
        }
        for kind, of in counts.items()
    ]


def skipped_of(report: Report) -> list[tuple[str, str]]:
    """Where in the file, and why; the sentences are the domain's."""
    return [(one.where, _(one.why)) for one in report.skipped]


def shown(rows: Iterable[tuple[Import, int]]) -> list[Shown]:
    """Imports, each with how many of its chats are not read yet."""
    return [
        Shown(row, format_of(row.format), str(STATES[ImportState(row.state)]), counts_of(row.counts), unread)
        for row, unread in rows
    ]
