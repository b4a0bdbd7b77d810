"""The operator, their profile and a key that works: made once, mended where something of it was lost."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from caesar.up import banner, first_start
from memory import apikeys, profiles
from memory.db import operator_scope
from memory.errors import Conflict
from memory.models import ApiKey
from tests.caesar.test_preflight import settings


@pytest.fixture
def home(tmp_path: Path, database: object) -> Path:
    return tmp_path


def key_in(prepared: first_start.Prepared) -> str:
    return prepared.key_file.read_text().strip()


def opens(key: str) -> bool:
    return apikeys.authenticate(key) is not None


def keys() -> int:
    with operator_scope():
        return ApiKey.objects.count()


def test_it_makes_an_operator_with_memory_on_and_a_key_that_works(home: Path) -> None:
    prepared = first_start.prepare(settings(home))
    assert prepared.first
    assert stat.S_IMODE(prepared.key_file.stat().st_mode) == 0o600
    owner = apikeys.authenticate(key_in(prepared))
    assert owner is not None
    assert profiles.resolve(user_id=owner.user_id, name=None).memory_enabled
    assert not User.objects.get(id=owner.user_id).has_usable_password()
    assert key_in(prepared) not in banner.banner(settings(home), prepared)


def test_it_changes_nothing_the_second_time(home: Path) -> None:
    first = key_in(first_start.prepare(settings(home)))
    again = first_start.prepare(settings(home))
    assert not again.first
    assert key_in(again) == first
    assert keys() == 1


def test_it_makes_another_key_where_the_file_was_lost(home: Path) -> None:
    first = first_start.prepare(settings(home))
    lost = key_in(first)
    first.key_file.unlink()
    assert key_in(first_start.prepare(settings(home))) != lost
    assert opens(lost)


def test_it_makes_the_kept_key_known_to_a_database_that_was_made_anew(home: Path) -> None:
    kept = "caesar_kept-from-an-earlier-database"
    (home / "api-key").write_text(kept + "\n")
    assert key_in(first_start.prepare(settings(home))) == kept
    assert opens(kept)


def test_it_does_not_bring_a_revoked_key_back(home: Path) -> None:
    prepared = first_start.prepare(settings(home))
    revoked = key_in(prepared)
    owner = apikeys.authenticate(revoked)
    assert owner is not None
    apikeys.revoke(user_id=owner.user_id, key_id=owner.key_id)
    assert opens(key_in(first_start.prepare(settings(home))))
    assert not opens(revoked)


def test_it_takes_the_key_that_the_settings_fix(home: Path) -> None:
    first_start.prepare(settings(home))
    fixed = settings(home, api_key="a-key-that-the-operator-chose")
    assert key_in(first_start.prepare(fixed)) == "a-key-that-the-operator-chose"
    assert key_in(first_start.prepare(fixed)) == "a-key-that-the-operator-chose"
    assert opens("a-key-that-the-operator-chose")


def test_it_says_that_a_fixed_key_was_revoked(home: Path) -> None:
    fixed = settings(home, api_key="a-key-that-the-operator-chose")
    owner = apikeys.authenticate(key_in(first_start.prepare(fixed)))
    assert owner is not None
    apikeys.revoke(user_id=owner.user_id, key_id=owner.key_id)
    with pytest.raises(Conflict, match="CAESAR_API_KEY is a key that was revoked"):
        first_start.prepare(fixed)


def test_it_gives_a_link_that_logs_in_once(home: Path, client: Any) -> None:
    link = first_start.prepare(settings(home)).login_url
    path, _, token = link.partition("/login/?token=")
    assert path.startswith("http://127.0.0.1:")
    assert client.post("/login/", {"token": token}).status_code == 303
    assert client.get("/dashboard/facts").status_code == 200
    assert client.post("/login/", {"token": token}).status_code == 400


def test_it_knows_whether_the_tables_are_up_to_date(database: object) -> None:
    assert not first_start.pending_migrations()
