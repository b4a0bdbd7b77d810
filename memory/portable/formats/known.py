"""Which formats there are, and by what each is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memory.portable.formats import braincue, caesar_sqlite, chatgpt, claude, mem0, openwebui
from memory.portable.found import Found

OWN = "caesar"

# The field that no other format's records have -> the format's name, and who reads a record.
RECORDS: dict[str, tuple[str, Callable[[dict[str, Any]], Found]]] = {
    "mapping": ("chatgpt", chatgpt.read),
    "chat_messages": ("claude", claude.read),
    "chat": ("openwebui", openwebui.read),
    "memory": ("mem0", mem0.read),
    "value": ("facts", mem0.read_fact),
}
# The table that a database has -> the format's name, and who reads it.
TABLES: dict[str, tuple[str, Callable[[Any], Iterator[Found]]]] = {
    "personal_facts": ("caesar-sqlite", caesar_sqlite.read),
    "memories": ("braincue", braincue.read),
}
NAMES = (OWN, *(name for name, _ in RECORDS.values()), *(name for name, _ in TABLES.values()))
# Where the records of a JSON object may be that holds them as a list.
LISTS = ("results", "memories", "facts", "conversations", "chats", "data")
WANTED = (
    "It is none of the files that can be imported: an export of this product, ChatGPT's or Claude's data export, chats "
    "of Open WebUI, memories of mem0, a list of facts, an SQLite file of CAESAR or a BrainCue database."
)
