"""`manage.py sweep`."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from memory import facts
from memory.db import operator_scope
from memory.models import AuditLog
from tests.caesar.commands.conftest import run, shell, typed
from tests.memory.test_cursor import tell
from tests.memory.test_sweep import age
from tests.people import person


def chats() -> int:
    with operator_scope():
        return AuditLog.objects.filter(event_type="chat.completed").count()


def test_it_says_what_would_go_and_then_removes_it(database):
    anna = person("anna")
    tell(anna, "I like tea.")
    age(database)
    tell(anna, "I like rice.")
    planned = shell("sweep", "--dry-run")
    assert (planned.code, chats()) == (0, 2), planned
    assert "anna  default  1" in planned.out
    assert run("sweep", "--dry-run", "--json").json["rows"]["chats"] == 1
    done = shell("sweep", "--apply")
    assert (done.code, chats()) == (0, 1), done
    assert "audit_log" in done.out
    assert run("sweep", "--apply", "--json").json["rows"]["audit_log"] == 0
    with operator_scope():
        row = AuditLog.objects.filter(event_type="memory.retention_sweep", profile__isnull=True).first()
    assert row is not None
    assert (row.actor, row.payload["chats"]) == ("operator", 1)


def test_it_ends_badly_where_it_failed_for_somebody(database, monkeypatch):
    tell(person("anna"), "I like tea.")
    age(database)

    def fails(_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(facts, "lock", fails)
    ran = run("sweep", "--apply")
    assert (ran.code, chats()) == (1, 1)
    assert "failed for 1" in ran.err


def test_it_wants_to_hear_which(database):
    for arguments in ((), ("--apply", "--dry-run")):
        with pytest.raises(CommandError):
            run("sweep", *arguments)
    assert typed("sweep").code == 2
