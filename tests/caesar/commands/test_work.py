"""manage.py work --once."""

from __future__ import annotations

import pytest
from django.core.management.base import CommandError

from memory.db import operator_scope
from memory.models import Fact, WorkItem
from tests.caesar.commands.conftest import run, shell
from tests.dashboard.conftest import Visitor
from tests.dashboard.test_audit import tell
from tests.people import person

NOWHERE = "redis://127.0.0.1:1/0"


def known() -> list[str]:
    with operator_scope():
        return sorted(Fact.objects.filter(state="current").values_list("value", flat=True))


def states() -> list[str]:
    with operator_scope():
        return list(WorkItem.objects.filter(kind="extract").order_by("id").values_list("state", flat=True))


def test_a_shell_works_off_what_is_due_without_a_broker_and_ends(database):
    for name, pet in (("anna", "Beans"), ("bert", "Moss")):
        tell(Visitor(person(name)), f"My dog's name is {pet}.")
    ran = shell("work", "--once", CAESAR_BROKER_URL=NOWHERE)
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran
    assert known() == ["Beans", "Moss"]
    assert states() == ["done", "done"]


def test_it_says_how_much_it_did_and_finds_nothing_the_second_time(database):
    tell(Visitor(person("anna")), "My dog's name is Beans.")
    assert run("work", "--once", "--json").json["worked_off"] >= 1
    assert run("work", "--once").out == "0 readings done.\n"
    assert known() == ["Beans"]


def test_it_ends_well_where_the_model_is_down_and_leaves_the_chat_waiting(database):
    tell(Visitor(person("anna")), "My dog's name is Beans.")
    down = {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "m",
        "CAESAR_LLM__OPENAI__BASE_URL": "http://127.0.0.1:1/v1",
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
    }
    ran = shell("work", "--once", **down)
    assert (ran.code, "sk-not" in ran.out + ran.err) == (0, False), ran
    assert (known(), states()) == ([], ["waiting"])


def test_it_wants_to_hear_once():
    with pytest.raises(CommandError) as caught:
        run("work")
    assert caught.value.returncode == 2
