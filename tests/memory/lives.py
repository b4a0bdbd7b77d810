"""A profile with something in every table."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from memory import apikeys, chats, cursor, facts, files, profiles, spaces
from memory.db import profile_scope
from memory.documents import adding
from memory.models import (
    AuditLog,
    Embedding,
    EpisodeSummary,
    KeyAlias,
    Passage,
    Profile,
    WorkKind,
)
from memory.portable import importing
from tests.people import Person
from tests.scripted_model import ScriptedModel
from workers import tasks

if TYPE_CHECKING:
    pass


# Each stands in another place of what is kept about Marta; each is found in the database before and nowhere after.
WORDS = (
    "quokkaville",
    "zanzibarine",
    "wombatella",
    "narwhalito",
    "axolotlia",
    "pangolinde",
    "kakapoline",
    "okapiana",
    "tarsierette",
    "dugongina",
    "numbatine",
    "gharialis",
    "saolanova",
    "fossaria",
    "ayeayelin",
    "lemurita",
    "caracalia",
    "bilbyanne",
)


def learned(*entries: dict[str, Any]) -> str:
    return json.dumps({"facts": [{"confidence": 0.9, **entry} for entry in entries], "summary": None})


def tell(profile_id: uuid.UUID, text: str, answer: str = "Noted.", **options: Any) -> int:
    turn = chats.begin(profile_id=profile_id, messages=[{"role": "user", "content": text, "id": "m1"}], **options)
    return chats.finish(turn, chats.Answer(text=answer))


def live(model: ScriptedModel, owner: Person) -> Profile:
    """A profile with something in every table that keeps what belongs to a person."""
    marta = profiles.resolve(user_id=owner.user_id, name="Quokkaville", consent=True)
    spaces.create_space(profile_id=marta.id, fields={"slug": "zanzibarine", "name": "Zanzibarine"})
    apikeys.create(user_id=owner.user_id, name="key for Wombatella", profile_id=marta.id)
    model.on("Narwhalito", learned({"key": "address.city", "value": "Narwhalito"}))
    model.on("Axolotlia", learned({"key": "address.city", "value": "Axolotlia"}, {"key": "pet", "value": "Kakapoline"}))
    model.on("Pangolinde", "I am afraid that Pangolinde cannot be written as JSON")
    for text in ("I live in Narwhalito.", "I live in Axolotlia now."):
        tell(marta.id, text, conversation_id="thread of Okapiana")
        tasks.drain()
    tell(marta.id, "My cat is called Pangolinde.", answer="Hello Tarsierette.", space="zanzibarine")
    tasks.drain()
    tell(marta.id, "Off the record: Dugongina.", memory_on=False)
    tell(marta.id, "This waits to be read: my boat is called Dugongina.")
    cursor.tick(WorkKind.EXTRACT)
    cursor.tick(WorkKind.SUMMARISE)
    kept = facts.author(profile_id=marta.id, fields={"key": "friend.name", "value": "Numbatine"})
    facts.edit(profile_id=marta.id, fact_id=kept.id, changes={"value": "Gharialis"})
    gone = facts.author(profile_id=marta.id, fields={"value": "Knows Saolanova well"})
    facts.delete(profile_id=marta.id, fact_id=gone.id)
    with profile_scope(marta.id):
        chat = AuditLog.objects.filter(conversation__isnull=False).first()
        assert chat is not None
        episode = EpisodeSummary.objects.create(
            profile=marta,
            space_id=chat.space_id,
            conversation_id=chat.conversation_id,
            summary="Fossaria was talked about",
            said_at=chat.said_at,
        )
        Passage.objects.create(
            profile=marta,
            conversation_id=chat.conversation_id,
            role="user",
            text="Ayeayelin said",
            said_at=chat.said_at,
        )
        KeyAlias.objects.create(profile=marta, alias="lemurita.name", key="friend.name")
        Embedding.objects.create(
            profile=marta, owner_kind="episode", owner_id=episode.id, identity="test/8", vector=[0.5] * 8
        )
    folder = files.folder_of(marta.id)
    folder.mkdir(parents=True, exist_ok=True)
    brought = folder / "archive.json"
    brought.write_text(
        json.dumps([{"uuid": "c1", "chat_messages": [{"sender": "human", "text": "I like Caracalia."}]}])
    )
    importing.run(profile_id=marta.id, path=brought, name="caracalia.json")
    adding.add(profile_id=marta.id, name="bilbyanne.txt", data=b"I sail to Bilbyanne.")
    (folder / "export.jsonl").write_text("\n".join(WORDS))
    return marta
