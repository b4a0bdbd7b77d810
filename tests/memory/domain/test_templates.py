from datetime import date
from pathlib import Path

import pytest

from memory.domain.keys import canonical
from memory.domain.templates import Registry, load_registry, render


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("dog.name", "Beans", "Your dog's name is Beans."),
        ("address.city", "Portland", "You live in Portland."),
        ("preference.coffee", "coffee black with no sugar", "You prefer coffee black with no sugar."),
        ("preference.coffee", "black with no sugar", "You prefer black with no sugar (coffee)."),
        ("preference.communication_style", "short answers", "You prefer short answers (communication style)."),
        ("favourite.ice_cream", "mango", "Your favourite ice cream is mango."),
        ("ticket_atl_4471", "pump seal leaks", "ticket_atl_4471: pump seal leaks"),
        (None, "Likes the sea at night", "Likes the sea at night."),
        (None, "Likes the sea!", "Likes the sea!"),
        ("work.employer", "Acme Inc.", "You work at Acme Inc."),
        ("goal", "finish\nthe  boat", "A goal of yours is: finish the boat."),
    ],
)
def test_a_fact_reads_as_a_sentence(key, value, sentence):
    assert render(key, value) == sentence


@pytest.mark.parametrize(
    "value", ["{key}", "{value.__class__}", "{0}", "{{7*7}} ${7*7}", "%s %(x)s", "{about}", "\\1 \\g<0>"]
)
def test_braces_in_a_value_mean_nothing(value):
    assert render("dog.name", value) == f"Your dog's name is {value}."
    assert render("unknown_key", value) == f"unknown_key: {value}"


def test_the_exact_template_wins_then_the_longest_wildcard():
    registry = Registry(exact={"a.b": "exact {value}"}, wildcard={"a": "short {value}", "a.b": "long {value}"})
    assert [render(key, "x", registry=registry) for key in ("a.b", "a.b.c", "a.c", "a.b.c.d", "a", "b")] == [
        "exact x", "long x", "short x", "long x", "a: x", "b: x",
    ]  # fmt: skip


def test_a_time_that_only_its_day_can_tell_says_the_day():
    day = date(2025, 12, 30)
    assert (
        render("injury", "broke wrist yesterday", said_on=day) == "injury: broke wrist yesterday (said on 2025-12-30)"
    )
    assert (
        render("work.start_date", "next Monday", said_on=day)
        == "Your new job starts: next Monday (said on 2025-12-30)."
    )
    assert render("work.start_date", "2026-01-05", said_on=day) == "Your new job starts: 2026-01-05."
    assert render("injury", "broke wrist yesterday") == "injury: broke wrist yesterday"


def test_the_operators_file_adds_and_replaces(tmp_path: Path):
    file = tmp_path / "templates.yaml"
    file.write_text('dog.name: "Hund: {value}"\nproject.*: "Project {topic}: {value} [{key}]"\n', encoding="utf-8")
    registry = load_registry(file)
    assert render("dog.name", "Rex", registry=registry) == "Hund: Rex"
    assert render("project.boat_shed", "roof", registry=registry) == "Project boat shed: roof [project.boat_shed]"
    assert render("cat.name", "Nata", registry=registry) == "Your cat's name is Nata."
    assert render("dog.name", "Rex") == "Your dog's name is Rex."


def test_an_empty_file_changes_nothing(tmp_path: Path):
    file = tmp_path / "templates.yaml"
    file.write_text("# nothing yet\n", encoding="utf-8")
    assert load_registry(file) == load_registry(None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('dog.name: "{value.__class__}"', "only {value}"),
        ('dog.name: "{other} {value}"', "only {value}"),
        ('dog.name: "{value} {"', "only {value}"),
        ('dog.name: "{value!r}"', "only {value}"),
        ('dog.name: "{{value}}"', "only {value}"),
        ('dog.name: "no place for it"', "{value} must stand in it"),
        ("dog.name: 7", "must be a text"),
        ("dog.name: ''", "must be a text"),
        ('7: "{value}"', "the key must be like"),
        ('"*": "{value}"', "the key must be like"),
        ('"a.*.b": "{value}"', "the key must be like"),
        ('dog.name: "a\\nb {value}"', "one line"),
        ("dog.name: '{value}" + "x" * 400 + "'", "one line"),
        ("- a\n- b", "of the form"),
        ("just text", "of the form"),
        ("a: [", "not valid YAML"),
        ("a: !!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_named_with_its_fault(tmp_path: Path, text, problem):
    file = tmp_path / "templates.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"templates\.yaml") as caught:
        load_registry(file)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match="cannot be read"):
        load_registry(tmp_path / "none.yaml")


def test_the_built_in_templates_are_for_canonical_keys():
    registry = load_registry(None)
    assert len(registry.exact) + len(registry.wildcard) >= 40
    assert {key: canonical(key) for key in registry.exact} == {key: key for key in registry.exact}
