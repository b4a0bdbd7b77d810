"""What a file of ours holds: its kinds of rows, in the order in which they stand."""

from __future__ import annotations

from enum import StrEnum

FORMAT = "caesar-memory"
VERSION = 1
MOST_LINE = 32_000_000  # bytes; a chat with its longest messages is far shorter


class Kind(StrEnum):
    """Rows come after those that they name, but a fact may name a later one as its successor."""

    HEADER = "header"
    SPACE = "space"
    ALIAS = "key_alias"
    CONVERSATION = "conversation"
    CHAT = "chat"
    DOCUMENT = "document"
    OFF_RECORD = "off_record"
    FACT = "fact"
    TOMBSTONE = "tombstone"
    ENTITY = "entity"
    EPISODE = "episode"
    IMPORT = "import"
    WORK = "work"
    EVENT = "event"
    END = "end"


# What is written for people and other programs to read; an import works it out from the rest, or leaves it there.
READ_ONLY = frozenset({Kind.ENTITY, Kind.IMPORT})
