"""An event of the log as a sentence."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as marked

from memory.models import AuditLog, Event

SHOWN = 120
_PART = re.compile(r"\{(\w+)\}")

SENTENCES = {
    Event.FACT_ADDED: marked("Learned {key}: {value}"),
    Event.FACT_CONFIRMED: marked("Heard again, {key}: {value}"),
    Event.FACT_UPDATED: marked("Changed {key}: {value} {was}"),
    Event.FACT_PROPOSED: marked("Waits for review, {key}: {value}"),
    Event.FACT_APPROVED: marked("Approved {key}: {value} {was}"),
    Event.FACT_REJECTED: marked("Rejected {key}: {value}"),
    Event.FACT_RETRACTED: marked("No longer so, {key}: {value}"),
    Event.FACT_EXPIRED: marked("Expired, {key}: {value}"),
    Event.FACT_REVERTED: marked("Brought back {key}: {value} {was}"),
    Event.FACT_DELETED: marked("The text of deleted {key} was removed for good"),
    Event.FACT_USER_EDITED: marked("You corrected {key} {edited}"),
    Event.FACT_USER_DELETED: marked("You deleted {key}"),
    Event.EXTRACT_FAILED: marked("A chat could not be read, it will be tried again: {reason}"),
    Event.EXTRACT_DEAD: marked("A chat could not be read and was given up: {reason}"),
    Event.EPISODE_SUMMARISED: marked("A conversation was summed up: {summary}"),
    Event.EPISODE_SKIPPED: marked("A conversation was not summed up: {reason}"),
    Event.EPISODE_FAILED: marked("A conversation could not be summed up: {reason}"),
    Event.EPISODE_RECALLED: marked("A past conversation was recalled"),
    Event.EPISODE_DELETED: marked("The summary of a conversation was deleted"),
    Event.SENSITIVE_REFUSED: marked("Not kept, since it is about: {classes}"),
    Event.RETENTION_SWEEP: marked("What was too old was swept away {counts}"),
    Event.EXPORTED: marked("Everything was exported {counts}"),
    Event.IMPORTED: marked("Imported: {name} {counts}"),
    Event.ERASED: marked("A person was erased"),
    Event.CONVERSATION_DELETED: marked("A conversation was deleted with its {chats} chats"),
    Event.DOCUMENT_ADDED: marked("Given to be read: {name}"),
    Event.DOCUMENT_DELETED: marked("The document {name} was deleted with all that came from it"),
    Event.AUTH_FAILED: marked("Somebody was not let in"),
    Event.SETTINGS_CHANGED: marked("Setting changed: {settings}"),
}
SETTINGS = {
    "api_key": gettext_lazy("key"),
    "key_alias": gettext_lazy("spellings of a key"),
    "memory_enabled": gettext_lazy("learn facts"),
    "summaries_enabled": gettext_lazy("sum up conversations"),
    "approval": gettext_lazy("approval"),
    "timezone": gettext_lazy("time zone"),
    "language": gettext_lazy("language"),
    "sensitive_policy": gettext_lazy("sensitive matters"),
    "sensitive_personal": gettext_lazy("very personal"),
}

# What the log can be narrowed to.
KINDS: dict[str, tuple[Any, tuple[Event, ...]]] = {
    "chats": (
        gettext_lazy("Chats"),
        (Event.CHAT_COMPLETED, Event.CONVERSATION_DELETED, Event.DOCUMENT_ADDED, Event.DOCUMENT_DELETED),
    ),
    "facts": (
        gettext_lazy("Facts"),
        tuple(event for event in Event if event.value.startswith("memory.fact.")),
    ),
    "yours": (
        gettext_lazy("What you did"),
        (
            Event.FACT_APPROVED,
            Event.FACT_REJECTED,
            Event.FACT_REVERTED,
            Event.FACT_USER_EDITED,
            Event.FACT_USER_DELETED,
            Event.SETTINGS_CHANGED,
        ),
    ),
    "episodes": (
        gettext_lazy("Summaries"),
        tuple(event for event in Event if event.value.startswith("memory.episode.")),
    ),
    "failures": (
        gettext_lazy("Failures"),
        (Event.EXTRACT_FAILED, Event.EXTRACT_DEAD, Event.EPISODE_FAILED, Event.AUTH_FAILED),
    ),
    "refused": (gettext_lazy("Not kept"), (Event.SENSITIVE_REFUSED,)),
    "settings": (
        gettext_lazy("Settings"),
        (Event.SETTINGS_CHANGED, Event.EXPORTED, Event.IMPORTED, Event.RETENTION_SWEEP, Event.ERASED),
    ),
}


def told(row: AuditLog) -> str:
    """One line about the row. Whatever its payload holds, this does not fail."""
    payload = row.payload if isinstance(row.payload, dict) else {}
    if row.event_type == Event.CHAT_COMPLETED:
        return _chat(payload)
    sentence = next((text for event, text in SENTENCES.items() if event.value == row.event_type), None)
    if sentence is None:
        return row.event_type
    parts = {
        "key": payload.get("key") or _("a fact"),
        "value": payload.get("value", ""),
        "was": _was(payload.get("old")),
        "edited": _edited(payload),
        "reason": payload.get("reason", ""),
        "summary": _summary(payload.get("summary")),
        "name": payload.get("name", ""),
        "counts": _counts(payload.get("rows")),
        "classes": _classes(payload),
        "chats": payload.get("chats", ""),
        "settings": _settings(payload),
    }
    # Not `str.format`: a value with braces is a value.
    line = _PART.sub(lambda match: _short(parts[match[1]]), _(sentence))
    return line.strip().removesuffix(":").strip()


def _chat(payload: dict[str, Any]) -> str:
    if payload.get("off_record"):
        return _("Chat, off the record")
    messages = payload.get("messages")
    said = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    if isinstance(document := payload.get("document"), dict):
        return _page_of(document)
    text = next((m.get("text") for m in reversed(said) if m.get("role") == "user" and m.get("text")), "")
    return _("Chat: “%(words)s”") % {"words": _short(text)} if text else _("Chat")


def _page_of(document: dict[str, Any]) -> str:
    name, page = _short(document.get("name", "")), document.get("page")
    if isinstance(page, int):
        return _("Document “%(name)s”, page %(page)s") % {"name": name, "page": page}
    return _("Document “%(name)s”") % {"name": name}


def _was(old: Any) -> str:
    values = [str(o.get("value", "")) for o in old if isinstance(o, dict)] if isinstance(old, list) else []
    return _("(was %(values)s)") % {"values": ", ".join(values)} if values else ""


def _edited(payload: dict[str, Any]) -> str:
    old, new = payload.get("old"), payload.get("new")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return ""
    changed = [f"{name} {old.get(name, '')} → {value}" for name, value in new.items() if name != "space_id"]
    return f"({', '.join(changed)})" if changed else ""


def _classes(payload: dict[str, Any]) -> str:
    classes = payload.get("classes")
    return ", ".join(str(each).replace("_", " ") for each in classes) if isinstance(classes, list) else ""


def _summary(told: Any) -> str:
    return str(told.get("text", "")) if isinstance(told, dict) else str(told or "")


def _counts(rows: Any) -> str:
    """How many of what: of tables, or of kinds of rows."""
    if not isinstance(rows, dict):
        return ""
    some = [f"{name.replace('_', ' ')} {many}" for name, many in rows.items() if isinstance(many, int) and many]
    return f"({', '.join(some)})" if some else ""


def _settings(payload: dict[str, Any]) -> str:
    """Whose setting, and what it is now."""
    subject = payload.get("subject")
    named = [
        str(payload[k]) for k in ("name", "slug", "alias", "key", "did") if payload.get(k) and k not in _new(payload)
    ]
    head = " ".join([*([] if subject == "profile" else [_named(str(subject or ""))]), *named]).strip()
    changed = ", ".join(f"{_named(name)}: {_plain(value)}" for name, value in _new(payload).items())
    return ", ".join(part for part in (head, changed) if part)


def _new(payload: dict[str, Any]) -> dict[str, Any]:
    new = payload.get("new")
    return new if isinstance(new, dict) else {}


def _named(name: str) -> str:
    return str(SETTINGS.get(name, name.replace("_", " ")))


def _plain(value: Any) -> str:
    """A value of a setting as people say it."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, dict):
        return ", ".join(f"{_named(str(name))} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return _("none") if value is None or value == "" else str(value)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
