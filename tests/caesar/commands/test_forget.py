"""manage.py forget."""

import pytest
from django.core.management.base import CommandError

from memory import facts, profiles
from memory.db import operator_scope
from memory.errors import NotFound
from memory.models import AuditLog, Profile
from tests import everywhere
from tests.caesar.commands.conftest import run, shell, typed
from tests.people import person

WORD = "quokkaville"


@pytest.fixture
def marta(operator):
    profile = profiles.resolve(user_id=operator, name="marta", consent=True)
    facts.author(profile_id=profile.id, fields={"key": "city", "value": WORD})
    return profile


def test_it_erases_a_person_and_says_what_went(marta, database):
    erased = run("forget", "--profile", "marta", "--yes", "--json").json
    assert erased["profile"] == "marta"
    assert erased["erased"]["personal_facts"] == 1
    assert everywhere.in_tables(database, WORD) == []
    with operator_scope():
        assert AuditLog.objects.get(event_type="memory.erased").actor == "operator"
        assert [p.name for p in Profile.objects.all()] == ["default"]


def test_it_finds_the_profile_of_another_user(operator):
    anna = person("anna")
    assert "personal_facts" not in run("forget", "--user", "anna", "--profile", "default", "--yes").out
    with operator_scope():
        assert not Profile.objects.filter(id=anna.profile_id).exists()
        assert Profile.objects.filter(user_id=operator).count() == 1


def test_it_erases_nobody_without_being_told_that_it_is_meant(marta):
    with pytest.raises(CommandError, match="--yes") as error:
        run("forget", "--profile", "marta")
    assert error.value.returncode == 2
    with pytest.raises(NotFound):
        run("forget", "--profile", "martha", "--yes")
    with operator_scope():
        assert Profile.objects.count() == 2


def test_it_lists_who_there_is_and_who_is_being_erased(marta):
    with operator_scope():
        Profile.objects.filter(id=marta.id).update(erasing_at="2026-01-01T00:00:00Z")
    shown = {line["profile"]: line for line in run("forget", "--list", "--json").json}
    assert (shown["marta"]["facts"], shown["marta"]["being_erased"]) == (1, True)
    assert not shown["default"]["being_erased"]
    assert "is being erased" in run("forget", "--list").out


def test_a_shell_gets_a_sentence_and_a_code(marta):
    unsure = shell("forget", "--profile", "marta")
    assert (unsure.code, "--yes" in unsure.err) == (2, True)
    assert typed("forget").code == 2
    assert shell("forget", "--profile", "nobody", "--yes").code == 1
    done = shell("forget", "--profile", "marta", "--yes")
    assert (done.code, done.out.startswith("Erased 'marta': ")) == (0, True)
