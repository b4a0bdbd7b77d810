"""manage.py facts."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from memory import facts, selectors
from memory.db import operator_scope, profile_scope
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Fact
from tests.caesar.commands.conftest import run, shell
from tests.memory.saying import tell
from tests.people import Person, person
from tests.processes import ROOT


@pytest.fixture
def me(operator) -> Person:
    from memory import operations

    return Person(operator, operations.profile_named(user_id=operator, name=None).id, "")


@pytest.fixture
def beans(me) -> str:
    """The end of an id."""
    return str(facts.author(profile_id=me.profile_id, fields={"key": "dog.name", "value": "Beans"}).id)[-8:]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(*arguments: str) -> str:
    """On a terminal."""
    out = Terminal()
    call_command(*arguments, stdout=out, stderr=io.StringIO(), no_color=True)
    return out.getvalue()


def values(*arguments: str) -> list[str]:
    return [fact["value"] for fact in run("facts", "list", *arguments, "--json").json]


def actors(event: str) -> list[str]:
    with operator_scope():
        return list(AuditLog.objects.filter(event_type=event).values_list("actor", flat=True))


def test_it_lists_narrowed_as_rest_is(me):
    tell(me, "address.city", "Graz")
    tell(me, "address.city", "Linz")
    tell(me, "tea.kind", "green", current=False, reasons=("low_confidence",))
    facts.author(profile_id=me.profile_id, fields={"value": "Never call before nine", "category": "preference"})
    assert values() == ["Never call before nine", "Linz"]
    assert values("--all") == values("--history") == ["Never call before nine", "Linz", "Graz"]
    assert values("--status", "pending") == ["green"]
    assert values("--category", "preference") == values("--q", "before NINE") == ["Never call before nine"]
    assert values("--key", "address city") == ["Linz"]
    assert values("--space", "work") == []
    assert run("facts", "list", "--q", "nothing").out == "There is no such fact.\n"
    assert "waits  tea.kind" in run("facts", "list", "--status", "pending").out
    assert "replaced  address.city  Graz" in run("facts", "list", "--all").out


def test_it_shows_one_with_its_words_and_what_was_before(me):
    fact = tell(me, "address.city", "Graz")
    with profile_scope(me.profile_id):
        Fact.objects.filter(id=fact.id).update(quote="I live in Graz", source_audit_id=None)
    facts.edit(profile_id=me.profile_id, fact_id=fact.id, changes={"value": "Wels"})
    told = run("facts", "show", str(fact.id)).out
    assert f"id          {fact.id}" in told
    assert "from        your own hand" in told
    (before,) = [line for line in told.splitlines() if "Graz" in line]
    assert "replaced" in before
    old = run("facts", "show", before.split()[0])
    assert "quote       “I live in Graz”" in old.out
    assert "from        a chat" in old.out
    assert [row["value"] for row in run("facts", "show", str(fact.id), "--json").json["history"]] == ["Wels", "Graz"]


def test_it_adds_edits_deletes_takes_back_and_reverts_as_the_operator(me, beans):
    assert run("facts", "edit", beans, "--value", "Bean", "--importance", "0.9").out.startswith("Saved: ")
    gone = run("facts", "delete", beans).out
    assert f"`facts undo {beans}` takes that back within 24 hours." in gone
    assert values() == []
    assert values("--deleted") == ["Bean"]
    (deleted,) = run("facts", "list", "--deleted", "--json").json
    assert (deleted["status"], deleted["undo_until"] > deleted["created_at"]) == ("deleted", True)
    with pytest.raises(NotFound):
        run("facts", "show", beans)
    assert run("facts", "undo", beans, "--json").json["value"] == "Bean"
    old = next(fact["id"] for fact in run("facts", "list", "--all", "--json").json if fact["value"] == "Beans")
    assert run("facts", "revert", old).out.startswith("Holds again: Your dog's name is Beans.")
    run("facts", "add", "Moss", "--key", "cat.name", "--category", "person")
    assert values("--key", "cat.name") == ["Moss"]
    events = ("user_edited", "user_deleted", "reverted")
    assert [actors(f"memory.fact.{event}")[0] for event in events] == ["operator"] * 3
    assert actors("memory.fact.added")[-1] == "operator"


def test_it_answers_proposals(me):
    tell(me, "address.city", "Graz")
    linz = tell(me, "address.city", "Linz", current=False, reasons=("low_confidence",))
    tea = tell(me, "tea.kind", "green", current=False, reasons=("low_confidence",))
    told = run("facts", "conflicts").out
    assert told.index("Linz") < told.index("would replace: ") < told.index("Graz")
    (conflict,) = run("facts", "conflicts", "--json").json
    assert (conflict["effect"], conflict["current"]["value"]) == ("replaces", "Graz")
    approved = run("facts", "approve", str(linz.id), "--value", "Wels", "--json").json
    assert (approved["value"], approved["pinned"]) == ("Wels", True)
    assert run("facts", "reject", str(tea.id)).out.startswith("Rejected: ")
    assert (values(), values("--status", "rejected")) == (["Wels"], ["Linz", "green"])
    assert run("facts", "conflicts").out == "No proposal would change what holds.\n"
    assert actors("memory.fact.approved") == actors("memory.fact.rejected") == ["operator"]


def test_it_moves_between_spaces_and_lets_it_last(me, beans):
    fact = run("facts", "edit", beans, "--space", "general", "--expires-at", "2090-01-31T09:00:00+02:00", "--json").json
    assert (fact["space"], fact["expires_at"][:4]) == ("general", "2090")
    fact = run("facts", "edit", beans, "--everywhere", "--expires-at", "never", "--json").json
    assert (fact["space"], fact["expires_at"]) == (None, None)


def test_it_names_a_fact_by_either_end_of_its_id_and_nobody_elses(me, beans):
    whole = run("facts", "show", beans, "--json").json["id"]
    for part in (whole, whole.upper(), whole[:20], whole[-4:]):
        assert run("facts", "show", part, "--json").json["id"] == whole
    run("facts", "add", "Moss")  # made in the same moment: ids begin alike
    with pytest.raises(Conflict, match="give more of it"):
        run("facts", "show", whole[:6])
    anna = person("anna")
    theirs = facts.author(profile_id=anna.profile_id, fields={"value": "secret"})
    for part in (str(theirs.id), "abc", "%", "", "zzzzzzzz", "../../etc", beans + "0"):
        with pytest.raises(NotFound, match="There is no fact"):
            run("facts", "show", part)
    for verb in ("edit", "delete", "approve", "reject", "undo", "revert"):
        with pytest.raises(NotFound):
            run("facts", verb, str(theirs.id), *(["--value", "x"] if verb == "edit" else []))
    assert run("facts", "show", str(theirs.id), "--user", "anna", "--json").json["value"] == "secret"


def test_it_refuses_what_cannot_be_meant(me, beans):
    for arguments in (
        ("add", " "),
        ("add", "x" * 1_001),
        ("add", "\u200b"),
        ("add", "x", "--key", "***"),
        ("add", "x", "--importance", "2"),
        ("add", "x", "--importance", "nan"),
        ("add", "x", "--expires-at", "tomorrow"),
        ("edit", beans),
        ("list", "--deleted", "--key", "dog.name"),
    ):
        with pytest.raises(InvalidInput):
            run("facts", *arguments)
    for arguments in (
        ("add", "Gr\udcfc\udcdfe"),  # what another encoding than UTF-8 becomes
        ("add", "x", "--importance", "much"),
        ("list", "--status", "deleted"),
        ("list", "--all", "--deleted"),
        ("edit", beans, "--space", "general", "--everywhere"),
        ("destroy",),
    ):
        with pytest.raises(CommandError):
            run("facts", *arguments)
    with pytest.raises(NotFound):
        run("facts", "add", "x", "--space", "nowhere")
    with pytest.raises(Conflict):
        run("facts", "revert", beans)
    with pytest.raises(NotFound):
        run("facts", "list", "--profile", "nobody")


def test_eighty_columns_are_enough_for_every_script(me, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    texts = ("你好" * 60, "👩‍👩‍👧" * 60, "שלום עולם " * 20, "e\u0301" * 200, "word " * 100, "One\nword\tmore")
    for n, value in enumerate(texts):
        facts.author(profile_id=me.profile_id, fields={"key": f"rather.long.key.of.note{n}.你好", "value": value})
    from caesar.management.terminal import wide

    lines = shown("facts", "list").splitlines()
    assert len(lines) == 7
    assert max(map(wide, lines)) == 80
    assert {wide(line.partition("…  ")[0]) for line in lines[1:]} == {22 + 23}
    assert any(line.endswith("One word more") for line in lines)
    assert "你好" * 60 in run("facts", "list").out  # nobody looks: a program gets all of it


def test_nothing_that_it_prints_steers_the_terminal(me, beans):
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eslaeb\u2066\r\nrm"
    with profile_scope(me.profile_id):
        Fact.objects.update(value=evil, quote=evil)
    told = run("facts", "list").out + run("facts", "show", beans).out + run("facts", "delete", beans).out
    assert not set(told) & set("\x1b\x07\x9b\u202e\u2066\r")
    assert "\\x1b]0;owned\\x07" in told
    assert "\\u202e" in told
    assert run("facts", "list", "--deleted", "--json").json[0]["value"] == evil


def test_a_shell_may_stop_reading_and_gets_a_sentence_and_a_code(me):
    for n in range(3):
        facts.author(profile_id=me.profile_id, fields={"value": f"Fact {n} " + "x" * 900})
    piped = subprocess.run(
        f"{sys.executable} manage.py facts list | head -c 10", cwd=ROOT, shell=True, capture_output=True, timeout=120
    )
    assert (piped.stdout[:2], piped.stderr) == (b"ID", b"")
    wrong = shell("facts", "add", " ", LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (wrong.code, wrong.out, wrong.err) == (2, "", "value is 1 to 1000 characters.\n")
    with profile_scope(me.profile_id):
        assert selectors.facts_listed(profile_id=me.profile_id, wanted=selectors.FactFilter()).count() == 3
