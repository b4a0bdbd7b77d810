"""manage.py reprocess."""

import pytest

from memory import cursor
from memory.db import operator_scope
from memory.errors import InvalidInput, NotFound
from memory.models import EpisodeSummary, Profile, WorkItem, WorkKind
from tests.caesar.api.test_episodes import summarised
from tests.caesar.commands.conftest import run, typed
from tests.dashboard.conftest import Visitor
from tests.people import person


@pytest.fixture
def told(database):
    """Two people with a summary each, and all their chats read."""
    for name in ("anna", "bert"):
        summarised(Visitor(person(name)), f"Of {name}.")
    cursor.tick(*WorkKind)
    with operator_scope():
        WorkItem.objects.update(state="done")
        return list(WorkItem.objects.filter(kind="extract").order_by("id").values_list("audit_id", flat=True))


def waiting():
    with operator_scope():
        rows = WorkItem.objects.filter(state="waiting").order_by("audit_id", "kind")
        return list(rows.values_list("audit_id", "kind"))


def test_it_lets_all_summaries_be_written_anew(told):
    assert run("reprocess", "--episodes").out == (
        "Summaries deleted to be written anew: 2.\nItems of work that wait: 2.\n"
    )
    with operator_scope():
        assert not EpisodeSummary.objects.exists()
    assert waiting() == [(audit_id, "summarise") for audit_id in told]
    assert run("reprocess", "--episodes", "--json").json == {"episodes_deleted": 0, "items": 0}


def test_it_lets_one_persons_be_written_anew(told):
    with operator_scope():
        name = Profile.objects.get(user__username="bert").name
    ran = run("reprocess", "--episodes", "--user", "bert", "--profile", name, "--json")
    assert ran.json == {"episodes_deleted": 1, "items": 1}
    assert waiting() == [(told[1], "summarise")]
    with pytest.raises(NotFound):
        run("reprocess", "--episodes", "--user", "carla")


def test_it_lets_a_range_be_read_again(told):
    assert run("reprocess", "--from", str(told[1])).out == "Items of work that wait: 2.\n"
    assert waiting() == [(told[1], "extract"), (told[1], "summarise")]
    ran = run("reprocess", "--from", str(told[0]), "--to", str(told[1]), "--kind", "extract", "--json")
    assert ran.json == {"episodes_deleted": 0, "items": 1}
    with operator_scope():
        assert EpisodeSummary.objects.count() == 2


def test_it_reads_nothing_again_that_is_not_agreed_to(told):
    with operator_scope():
        Profile.objects.update(memory_enabled=False)
    assert run("reprocess", "--from", "1", "--to", "999999", "--json").json["items"] == 2
    assert {kind for _, kind in waiting()} == {"summarise"}


def test_it_says_what_is_wrong(told):
    with pytest.raises(InvalidInput, match="not before"):
        run("reprocess", "--from", "5", "--to", "3")
    with pytest.raises(InvalidInput, match="go with --from"):
        run("reprocess", "--episodes", "--kind", "extract")
    for wrong in ((), ("--from", "x"), ("--episodes", "--from", "1"), ("--from", "1", "--kind", "dance")):
        assert typed("reprocess", *wrong).code == 2
    assert run("reprocess", "--from", "9" * 30).out == "Items of work that wait: 0.\n"
