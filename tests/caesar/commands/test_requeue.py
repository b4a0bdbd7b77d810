"""manage.py requeue."""

import pytest

from memory import cursor
from memory.db import operator_scope
from memory.errors import Conflict, NotFound
from memory.models import ModelPause, Profile, WorkItem, WorkKind
from tests.caesar.commands.conftest import run, shell, typed
from tests.dashboard.conftest import Visitor
from tests.dashboard.test_audit import tell
from tests.people import person


@pytest.fixture
def dead(database):
    for name in ("anna", "bert"):
        tell(Visitor(person(name)), "I like tea.")
    cursor.tick(WorkKind.EXTRACT)
    with operator_scope():
        WorkItem.objects.update(state="dead", attempts=4, error="no")
        ModelPause.objects.create(route="x/y", until="2099-01-01T00:00:00Z", reason="rest")
        return list(WorkItem.objects.order_by("id").values_list("id", flat=True))


def states():
    with operator_scope():
        return list(WorkItem.objects.order_by("id").values_list("state", "attempts"))


def test_it_lets_one_be_tried_again(dead):
    assert run("requeue", str(dead[0])).out == "1 item will be tried again.\n"
    assert states() == [("waiting", 0), ("dead", 4)]


def test_it_lets_everyones_be_tried_again_and_the_model_be_asked_at_once(dead):
    assert run("requeue", "--all", "--json").json == {"requeued": 2}
    assert states() == [("waiting", 0), ("waiting", 0)]
    with operator_scope():
        assert not ModelPause.objects.exists()
    assert run("requeue", "--all").out == "0 items will be tried again.\n"


def test_it_says_what_is_not_there_and_what_is_at_work(dead):
    with pytest.raises(NotFound):
        run("requeue", "999999")
    with operator_scope():
        WorkItem.objects.update(state="running")
    with pytest.raises(Conflict):
        run("requeue", str(dead[0]))


def test_it_says_that_a_chat_may_not_be_read_any_more(dead):
    with operator_scope():
        Profile.objects.update(memory_enabled=False)
    with pytest.raises(Conflict, match="not agreed to"):
        run("requeue", str(dead[0]))
    assert states() == [("dead", 4), ("dead", 4)]


def test_a_shell_gets_a_sentence_and_a_code(dead):
    assert shell("requeue", "999999").err == "There is no work item 999999.\n"
    for wrong in ((), ("x",), ("1", "--all")):
        assert typed("requeue", *wrong).code == 2
