"""A backup holds everything, is proved to, and brings a new installation to the same place."""

from __future__ import annotations

import io
import json
import os
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from caesar.backup import archive, making
from caesar.backup.errors import BackupFailed
from caesar.config import config
from caesar.embedded import postgres
from caesar.embedded.postgres import Postgres
from memory import cursor, facts
from memory.models import WorkKind
from tests.caesar.commands.conftest import Ran, shell
from tests.memory.conftest import model  # noqa: F401
from tests.memory.lives import live
from tests.memory.test_cursor import tell
from tests.people import person
from tests.scripted_model import ScriptedModel
from workers import tasks

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.timeout(300)]
LOST = {"django_session", "login_tokens", "model_pauses"}


@pytest.fixture
def here(database: Postgres) -> dict[str, str]:
    """The tests' own database, as one that somebody else runs."""
    return {
        "CAESAR_DATABASE_URL": database.url("service"),
        "CAESAR_DATABASE_OWNER_URL": database.url("owner"),
    }


@pytest.fixture
def there(tmp_path_factory: Any) -> Iterator[tuple[Postgres, dict[str, str]]]:
    """An empty cluster of its own."""
    home = tmp_path_factory.mktemp("there")
    with postgres.running(home, fast=True) as other:
        yield (
            other,
            {
                "CAESAR_HOME": str(home),
                "CAESAR_DATABASE_URL": other.url("service"),
                "CAESAR_DATABASE_OWNER_URL": other.url("owner"),
            },
        )


def manage(env: dict[str, str], *arguments: str) -> Ran:
    return shell(*arguments, **env)


def content(cluster: Postgres) -> dict[str, Any]:
    """Every row of every table, but for what is set anew."""
    found: dict[str, Any] = {}
    with psycopg.connect(cluster.url("superuser")) as link:
        tables = link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (table,) in tables:
            if table in LOST:
                continue
            rows = link.execute(
                f"SELECT to_jsonb(t) - 'xid' FROM {table} t" + (" WHERE false" if table == "memory_cursor" else "")
            ).fetchall()
            found[table] = sorted(json.dumps(row[0], sort_keys=True) for row in rows)
        sequences = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"
        found["sequences"] = link.execute(sequences).fetchall()
        policies = "SELECT tablename, policyname, roles::text, qual FROM pg_policies ORDER BY 1, 2"
        found["policies"] = link.execute(policies).fetchall()
        functions = (
            "SELECT proname, pg_get_userbyid(proowner), prosecdef, proacl::text FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace AND pg_get_userbyid(proowner) LIKE 'caesar%' ORDER BY 1, 2"
        )
        found["functions"] = link.execute(functions).fetchall()
        grants = (
            "SELECT relname, relacl::text, relrowsecurity, relforcerowsecurity FROM pg_class"
            " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1"
        )
        found["grants"] = [
            (n, "".join(sorted((a or "").strip("{}").split(","))), *more)
            for n, a, *more in link.execute(grants).fetchall()
        ]
        found["defaults"] = sorted(map(str, link.execute("SELECT defaclobjtype, defaclacl::text FROM pg_default_acl")))
        triggers = "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2"
        found["triggers"] = link.execute(triggers).fetchall()
        indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
        found["indexes"] = link.execute(indexes).fetchall()
    return found


def test_a_new_installation_comes_to_the_same_place(database, here, there, model: ScriptedModel, tmp_path):  # noqa: F811
    marta = live(model, person("owner"))
    path = tmp_path / "one.tar"
    made = manage(here, "backup", str(path), "--json")
    assert made.code == 0, made
    assert made.json["rows"]["personal_facts"] >= 4
    assert path.stat().st_mode & 0o077 == 0
    other, env = there
    restored = manage(env, "restore", str(path), "--json")
    assert restored.code == 0, restored
    files = Path(env["CAESAR_HOME"]) / "people" / str(marta.id)
    assert "wombatella" in (files / "export.jsonl").read_text()
    mine, theirs = content(database), content(other)
    assert [name for name in mine if mine[name] != theirs[name]] == []
    with psycopg.connect(other.url("superuser")) as link:
        xids = link.execute("SELECT DISTINCT xid::text FROM audit_log").fetchall()
        places = link.execute("SELECT xid::text, audit_id FROM memory_cursor").fetchall()
        roles = link.execute(
            "SELECT count(*) FROM pg_auth_members WHERE member = 'caesar_owner'::regrole AND inherit_option"
            " AND roleid IN ('caesar_redactor'::regrole, 'caesar_search'::regrole)"
        ).fetchone()
    assert len(xids) == 1
    assert {(xid, row) for xid, row in places} == {("0", 0)}
    assert roles == (0,)


def test_what_waited_is_read_afterwards_and_nothing_twice(database, here, there, model: ScriptedModel, tmp_path):  # noqa: F811
    anna = person("anna")
    model.on("Beans", json.dumps({"facts": [{"key": "dog.name", "value": "Beans", "confidence": 0.9}]}))
    model.on("Graz", json.dumps({"facts": [{"key": "address.city", "value": "Graz", "confidence": 0.9}]}))
    tell(anna, "My dog is Beans.", conversation_id="one")
    tasks.drain()
    tell(anna, "I live in Graz.", conversation_id="two")  # the cursor has not come to it
    path = tmp_path / "one.tar"
    assert manage(here, "backup", str(path)).code == 0
    other, env = there
    assert manage(env, "restore", str(path)).code == 0
    asked = len(model.requests)
    env |= {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "scripted",
        "CAESAR_LLM__OPENAI__BASE_URL": model.url,
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
    }
    ran = manage(env, "work", "--once")
    assert ran.code == 0, ran
    assert len(model.requests) == asked + 1
    with psycopg.connect(other.url("superuser")) as link:
        values = link.execute("SELECT value FROM personal_facts WHERE state = 'current' ORDER BY 1").fetchall()
        added = link.execute("SELECT count(*) FROM audit_log WHERE event_type = 'memory.fact.added'").fetchone()
    assert values == [("Beans",), ("Graz",)]
    assert added == (2,)
    assert manage(env, "work", "--once").code == 0
    assert len(model.requests) == asked + 1


def test_it_puts_nothing_in_the_place_of_what_is_there_unless_told_to(database, here, there, tmp_path):
    anna = person("anna")
    facts.author(profile_id=anna.profile_id, fields={"value": "Likes fog"})
    path = tmp_path / "one.tar"
    assert manage(here, "backup", str(path)).code == 0
    other, env = there
    assert manage(env, "restore", str(path)).code == 0
    before = content(other)
    refused = manage(env, "restore", str(path))
    assert (refused.code, "--force" in refused.err, content(other) == before) == (1, True, True), refused
    with psycopg.connect(other.url("superuser"), autocommit=True) as link:
        link.execute("UPDATE personal_facts SET value = 'Likes rain'")
    done = manage(env, "restore", str(path), "--force")
    assert done.code == 0, done
    assert content(other) == before


def test_a_restore_that_fails_changes_nothing(database, here, there, tmp_path):
    anna = person("anna")
    facts.author(profile_id=anna.profile_id, fields={"value": "Likes fog"})
    path = tmp_path / "one.tar"
    assert manage(here, "backup", str(path)).code == 0
    other, env = there
    assert manage(env, "restore", str(path)).code == 0
    before = content(other)
    short = tmp_path / "short.tar"
    _altered(path, short, lambda manifest: manifest["rows"].update(personal_facts=2))
    failed = manage(env, "restore", str(short), "--force")
    assert (failed.code, "all is as it was" in failed.err) == (1, True), failed
    assert content(other) == before


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"format": 9}, {"migrations": ["memory.9999_later"]}])
def test_it_takes_no_backup_that_is_damaged_or_from_the_future(database, here, there, tmp_path, change):
    path, other = tmp_path / "one.tar", tmp_path / "two.tar"
    assert manage(here, "backup", str(path)).code == 0
    _altered(path, other, lambda manifest: manifest.update(change))
    _, env = there
    failed = manage(env, "restore", str(other))
    assert failed.code == 1
    assert "Traceback" not in failed.err
    assert str(other) in failed.err
    (tmp_path / "rubbish").write_bytes(os.urandom(2000))
    for name in ("rubbish", "missing"):
        failed = manage(env, "restore", str(tmp_path / name))
        assert (failed.code, "Traceback" in failed.err) == (1, False), failed


def _altered(path: Path, to: Path, change: Any) -> None:
    with tarfile.open(path) as tar, tarfile.open(to, "w") as out:
        for member in tar.getmembers():
            file = tar.extractfile(member)
            if file is None:
                continue
            data = file.read()
            if member.name == archive.MANIFEST:
                manifest = json.loads(data)
                change(manifest)
                data = json.dumps(manifest).encode()
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))


def test_a_backup_that_lost_rows_is_none(database, here, tmp_path, monkeypatch):
    tell(person("anna"), "I like tea.")
    monkeypatch.setattr(making, "_pg_dump", _without_the_log(making._pg_dump))
    settings = config().model_copy(update={"database_url": _secret(here["CAESAR_DATABASE_OWNER_URL"])})
    with pytest.raises(BackupFailed, match="audit_log"):
        making.backup(settings, tmp_path / "one.tar")
    assert list(tmp_path.iterdir()) == []


def _without_the_log(command: Any) -> Any:
    return lambda *arguments: [*command(*arguments), "--exclude-table-data=public.audit_log"]


def _secret(url: str) -> Any:
    from pydantic import SecretStr

    return SecretStr(url)


def test_it_is_one_state_though_people_go_on_talking(database, here, there, tmp_path):
    anna = person("anna")
    done = threading.Event()

    def talk() -> None:
        n = 0
        try:
            while not done.is_set():
                tell(anna, f"I like number {n}.", conversation_id=f"thread {n % 5}")
                cursor.tick(WorkKind.EXTRACT)
                n += 1
        finally:
            connection.close()

    talking = threading.Thread(target=talk)
    talking.start()
    try:
        made = manage(here, "backup", str(tmp_path / "one.tar"))
    finally:
        done.set()
        talking.join(20)
    assert made.code == 0, made
    other, env = there
    assert manage(env, "restore", str(tmp_path / "one.tar")).code == 0
    with psycopg.connect(other.url("superuser")) as link:
        orphans = link.execute(
            "SELECT count(*) FROM work_items w LEFT JOIN audit_log a ON a.id = w.audit_id WHERE a.id IS NULL"
        ).fetchone()
    assert orphans == (0,)


def test_old_ones_are_dropped_and_a_file_of_somebody_elses_never(database, here, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("caesar-20200101T000000Z.tar", "caesar-20210101T000000Z.tar", "mine.tar"):
        (folder / name).write_text("x")
    env = here | {"CAESAR_HOME": str(tmp_path)}
    assert manage(env, "backup", "--keep", "2").code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert names[0] == "caesar-20210101T000000Z.tar"
    assert names[2] == "mine.tar"
    again = manage(env, "backup", str(folder / "mine.tar"))
    assert (again.code, "exists already" in again.err) == (1, True)


def test_the_embedded_database_is_started_for_it(tmp_path_factory, database, here, tmp_path):
    tell(person("anna"), "I like tea.")
    path = tmp_path / "one.tar"
    assert manage(here, "backup", str(path)).code == 0
    env = {"CAESAR_HOME": str(tmp_path_factory.mktemp("home"))}
    restored = manage(env, "restore", str(path))
    assert restored.code == 0, restored
    again = manage(env, "backup", str(tmp_path / "two.tar"), "--json")
    assert again.code == 0, again
    with tarfile.open(path) as tar:
        first = json.load(tar.extractfile(archive.MANIFEST))  # type: ignore[arg-type]
    assert again.json["rows"] == first["rows"]
