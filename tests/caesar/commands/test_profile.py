"""manage.py profile."""

import pytest
from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from memory import facts, profiles
from memory.db import profile_scope
from memory.errors import InvalidInput, NotFound
from memory.models import AuditLog
from tests.caesar.commands.conftest import run, shell, typed
from tests.people import person


def test_it_lists_who_is_remembered_and_how_much(operator):
    anna = person("anna", memory=False)
    facts.author(profile_id=anna.profile_id, fields={"value": "x"})
    lines = run("profile", "list").out.splitlines()
    assert lines[0].split() == ["USER", "PROFILE", "MEMORY", "SUMMARIES", "APPROVAL", "FACTS"]
    assert lines[1].split() == ["anna", "default", "off", "off", "auto", "1"]
    assert [p["user"] for p in run("profile", "list", "--json").json] == ["anna", "operator"]


def test_it_changes_what_is_named_and_writes_it_down(operator):
    anna = person("anna", memory=False)
    run("profile", "set", "--user", "anna", "--memory", "on", "--timezone", "Europe/Tallinn")
    shown = run("profile", "show", "--user", "anna", "--json").json
    assert (shown["memory_enabled"], shown["summaries_enabled"], shown["timezone"]) == (True, False, "Europe/Tallinn")
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.get().actor == "operator"
    assert "memory_enabled     on" in run("profile", "show", "default", "--user", "anna").out


def test_it_makes_no_profile_by_looking(operator):
    with pytest.raises(NotFound):
        run("profile", "show", "kitchen")
    with pytest.raises(NotFound):
        run("profile", "set", "kitchen", "--memory", "on")
    assert len(run("profile", "list", "--json").json) == 1
    assert profiles.resolve(user_id=operator, name=None).memory_enabled


def test_it_says_that_somebody_never_came_in(operator):
    get_user_model().objects.create_user("bert")
    with pytest.raises(NotFound, match="no profile yet: it gets one when its owner first opens the dashboard"):
        run("profile", "set", "--user", "bert", "--memory", "on")


def test_it_says_what_is_wrong(operator):
    with pytest.raises(InvalidInput, match="timezone"):
        run("profile", "set", "--timezone", "Mars/Base")
    with pytest.raises(CommandError, match="say what to change") as error:
        run("profile", "set")
    assert error.value.returncode == 2


def test_a_shell_gets_a_sentence_and_a_code(operator):
    missing = shell("profile", "show", "kitchen")
    assert (missing.code, missing.err) == (1, "There is no profile 'kitchen'.\n")
    assert typed("profile", "set", "--memory", "maybe").code == 2
    assert typed("profile", "set").code == 2
