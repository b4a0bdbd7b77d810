"""A person who asks for it is gone from everywhere, and nobody else is touched."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, connection

from memory import apikeys, erase, facts, files, profiles
from memory.db import operator_scope, profile_scope, upkeep_scope
from memory.errors import NotFound
from memory.models import (
    AuditLog,
    Event,
    Profile,
)
from tests import everywhere
from tests.memory.lives import WORDS, live, tell
from tests.people import person
from tests.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

pytestmark = pytest.mark.usefixtures("database")


def owned_tables(database: Postgres) -> set[str]:
    return {table for table, column, _ in everywhere.columns(database) if column == "profile_id"} | {"profiles"}


def snapshot(*ids: uuid.UUID) -> list[Any]:
    with operator_scope():
        return [
            sorted(map(str, model._default_manager.filter(profile_id__in=ids).values()))
            for model in (*erase.tables(), apikeys.ApiKey)
        ]


def test_it_leaves_no_word_of_a_person_in_any_column_or_file(database: Postgres, model: ScriptedModel):
    owner, bert = person("owner"), person("bert")
    marta = live(model, owner)
    for who in (owner, bert):
        tell(who.profile_id, "I live in Tallinn.")
        facts.author(profile_id=who.profile_id, fields={"key": "address.city", "value": "Tallinn"})
    assert set(everywhere.rows_of(database, marta.id)) == owned_tables(database)  # something to erase in each
    for word in WORDS:
        assert everywhere.in_tables(database, word), word
        assert everywhere.in_files(word), word
    others = snapshot(owner.profile_id, bert.profile_id)

    rows = erase.erase_profile(profile_id=marta.id)

    for word in WORDS:
        assert everywhere.in_tables(database, word) == [], word
        assert everywhere.in_files(word) == [], word
    assert everywhere.in_tables(database, str(marta.id)) == []
    assert everywhere.rows_of(database, marta.id) == {}
    assert snapshot(owner.profile_id, bert.profile_id) == others
    with operator_scope():
        told = AuditLog.objects.get(event_type=Event.ERASED)
    assert (told.profile_id, told.actor, told.payload) == (None, "person", {"rows": rows})
    assert all(isinstance(count, int) and count > 0 for count in rows.values())
    assert set(rows) == owned_tables(database) - {"profiles"}


def test_it_knows_every_table_that_keeps_rows_of_a_profile(database: Postgres):
    swept = {model._meta.db_table for model in erase.tables()} | {"api_keys", "profiles"}
    assert owned_tables(database) == swept


def test_it_takes_any_number_of_rows_in_batches(database: Postgres, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(erase, "BATCH", 7)
    anna = person("anna")
    for n in range(30):
        tell(anna.profile_id, f"Number {n}.", conversation_id="one thread")
        facts.author(profile_id=anna.profile_id, fields={"key": "car.name", "value": f"car {n}"})
    rows = erase.erase_profile(profile_id=anna.profile_id)
    assert (rows["message_hashes"], rows["personal_facts"]) == (60, 30)
    assert everywhere.rows_of(database, anna.profile_id) == {}


def test_it_makes_a_fresh_profile_that_agrees_to_nothing_for_who_comes_back():
    operator = profiles.ensure_operator()
    erase.erase_profile(profile_id=operator.profile_id)
    again = profiles.ensure_operator()
    assert again.profile_id != operator.profile_id
    fresh = profiles.resolve(user_id=operator.user_id, name=None)
    assert (fresh.id, fresh.is_default) == (again.profile_id, True)
    assert not fresh.memory_enabled
    assert not fresh.summaries_enabled


def test_it_has_nobody_to_erase_twice():
    anna = person("anna")
    erase.erase_profile(profile_id=anna.profile_id)
    with pytest.raises(NotFound):
        erase.erase_profile(profile_id=anna.profile_id)


def _call(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


def test_nothing_else_empties_the_log():
    anna, bert = person("anna"), person("bert")
    tell(anna.profile_id, "I like tea.")
    with pytest.raises(IntegrityError, match="not being erased"), profile_scope(anna.profile_id):
        _call("SELECT audit_erase(10)")
    with upkeep_scope(bert.profile_id):
        Profile.objects.filter(id=bert.profile_id).update(erasing_at="2026-01-01T00:00:00Z")
        assert _call("SELECT audit_erase(10)") == 0  # the session's own profile alone
    with operator_scope():
        assert AuditLog.objects.filter(profile_id=anna.profile_id).count() == 1


def test_a_folder_that_cannot_be_removed_is_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    anna = person("anna")
    path = files.folder_of(anna.profile_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a file where a folder should be")
    try:
        with pytest.raises(OSError, match=str(anna.profile_id)):
            erase.erase_profile(profile_id=anna.profile_id)
    finally:
        path.unlink()
    with operator_scope():
        assert not AuditLog.objects.filter(event_type=Event.ERASED).exists()
    erase.erase_profile(profile_id=anna.profile_id)
