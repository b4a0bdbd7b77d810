"""Profiles, spaces and keys."""

import threading

import pytest
from django.db import connection

from memory import apikeys, profiles
from memory.db import operator_scope, profile_scope
from memory.errors import InvalidInput
from memory.models import ApiKey, AuditLog, Profile, Space
from tests.people import person

pytestmark = pytest.mark.usefixtures("database")


def test_it_makes_the_operator_once_with_memory_on():
    first = profiles.ensure_operator()
    again = profiles.ensure_operator()
    assert first.made
    assert not again.made
    assert first.profile_id == again.profile_id
    with operator_scope():
        profile = Profile.objects.get()
        assert profile.memory_enabled
        assert profile.is_default
        assert [s.slug for s in Space.objects.all()] == ["general"]


def test_it_makes_a_profile_that_was_never_named_with_consent_off():
    anna = person("anna")
    made = profiles.resolve(user_id=anna.user_id, name="kitchen")
    assert not made.memory_enabled
    assert profiles.resolve(user_id=anna.user_id, name="kitchen").id == made.id


def test_it_makes_one_profile_for_first_chats_that_race():
    anna = person("anna")
    seen = []

    def first_chat():
        try:
            seen.append(profiles.resolve(user_id=anna.user_id, name="new").id)
        finally:
            connection.close()

    threads = [threading.Thread(target=first_chat) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(seen) == 8
    assert len(set(seen)) == 1


@pytest.mark.parametrize("name", ["", "  ", "a" * 121, "two\nlines"])
def test_it_refuses_a_name_that_is_none(name):
    anna = person("anna")
    with pytest.raises(InvalidInput):
        profiles.resolve(user_id=anna.user_id, name=name)


def test_it_writes_an_audit_row_for_a_change_and_none_for_no_change():
    anna = person("anna")
    profiles.update(profile_id=anna.profile_id, changes={"timezone": "Europe/Tallinn"})
    profiles.update(profile_id=anna.profile_id, changes={"timezone": "Europe/Tallinn"})
    with profile_scope(anna.profile_id):
        (row,) = AuditLog.objects.filter(event_type="settings.changed")
    assert row.payload["old"] == {"timezone": "UTC"}


@pytest.mark.parametrize(
    "change",
    [
        {"timezone": "Mars/Olympus"},
        {"approval": "yes"},
        {"memory_enabled": "on"},
        {"nope": 1},
        {"language": 5},
    ],
)
def test_it_refuses_a_setting_that_makes_no_sense(change):
    anna = person("anna")
    with pytest.raises(InvalidInput):
        profiles.update(profile_id=anna.profile_id, changes=change)


def test_it_knows_a_key_and_keeps_only_its_hash():
    anna = person("anna")
    owner = apikeys.authenticate(anna.key)
    assert owner is not None
    assert owner.user_id == anna.user_id
    with operator_scope():
        kept = ApiKey.objects.get()
        assert anna.key.encode() not in bytes(kept.digest)
        assert kept.last_used_at is not None
    assert apikeys.authenticate(anna.key + "x") is None
    assert apikeys.authenticate("") is None


def test_it_opens_nothing_with_a_revoked_key():
    anna = person("anna")
    (key,) = apikeys.all_of(anna.user_id)
    apikeys.revoke(user_id=anna.user_id, key_id=key.id)
    assert apikeys.authenticate(anna.key) is None
