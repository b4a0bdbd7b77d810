"""GET, POST /v1/spaces and PATCH /v1/spaces/{slug}."""

import pytest


def test_it_makes_lists_and_changes_spaces(anna):
    made = anna.post("/v1/spaces", {"slug": "client-a", "name": "Client A", "memory_enabled": False})
    assert made.status_code == 201
    assert {k: made.json()[k] for k in ("slug", "name", "memory_enabled", "summaries_enabled")} == {
        "slug": "client-a",
        "name": "Client A",
        "memory_enabled": False,
        "summaries_enabled": True,
    }
    assert [s["slug"] for s in anna.get("/v1/spaces").json()["results"]] == ["client-a", "general"]
    changed = anna.patch("/v1/spaces/client-a", {"memory_enabled": True, "name": "A"})
    assert (changed.json()["memory_enabled"], changed.json()["name"]) == (True, "A")
    rows = anna.get("/v1/audit?event_type=settings.changed").json()["results"]
    assert [row["payload"]["slug"] for row in rows] == ["client-a", "client-a"]
    assert rows[0]["payload"]["old"] == {"memory_enabled": False, "name": "Client A"}
    assert rows[0]["space"] == "client-a"


def test_it_writes_nothing_down_where_nothing_changes(anna):
    assert anna.patch("/v1/spaces/general", {"memory_enabled": True}).status_code == 200
    assert anna.get("/v1/audit").json()["results"] == []


def test_it_names_a_space_after_its_slug(anna):
    assert anna.post("/v1/spaces", {"slug": "työ"}).json()["name"] == "työ"
    assert anna.patch("/v1/spaces/ty%C3%B6", {"name": "Työ"}).json()["name"] == "Työ"


def test_it_has_each_slug_once(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    again = anna.post("/v1/spaces", {"slug": "work"})
    assert again.status_code == 409
    assert len(anna.get("/v1/spaces").json()["results"]) == 2


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"slug": ""},
        {"slug": "Work"},
        {"slug": "a b"},
        {"slug": "-a"},
        {"slug": "a/b"},
        {"slug": "a\nb"},
        {"slug": "x" * 61},
        {"slug": None},
        {"slug": ["a"]},
        {"slug": "a", "name": ""},
        {"slug": "a", "name": "two\nlines"},
        {"slug": "a", "name": 5},
        {"slug": "a", "memory_enabled": "off"},
        {"slug": "a", "profile": "anna"},
    ],
)
def test_it_refuses_a_space_that_makes_no_sense(anna, body):
    response = anna.post("/v1/spaces", body)
    assert response.status_code == 400, response.content


@pytest.mark.parametrize("slug", ["nowhere", "%00", "x" * 300, "%ff", "a%20b"])
def test_it_has_no_space_that_was_not_made(anna, slug):
    response = anna.patch(f"/v1/spaces/{slug}", {"name": "x"})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def remove(api, slug, facts=None):
    return api.delete(f"/v1/spaces/{slug}" + (f"?facts={facts}" if facts else ""))


def values(api, query=""):
    return sorted(f["value"] for f in api.get(f"/v1/facts{query}").json()["results"])


def test_it_removes_a_space_and_frees_its_name(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    assert remove(anna, "work").json() == {"facts": {}}
    assert [s["slug"] for s in anna.get("/v1/spaces").json()["results"]] == ["general"]
    assert anna.post("/v1/context", {"space": "work"}).status_code == 404
    assert anna.patch("/v1/spaces/work", {"name": "x"}).status_code == 404
    assert remove(anna, "work").status_code == 404
    (row, _) = anna.get("/v1/audit?event_type=settings.changed").json()["results"]
    assert row["payload"] == {"subject": "space", "slug": "work", "did": "removed", "facts": {}}
    assert anna.post("/v1/spaces", {"slug": "work"}).status_code == 201


def test_it_asks_what_becomes_of_the_facts(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    anna.author("desk", "blue", space="work")
    refused = remove(anna, "work")
    assert refused.status_code == 409
    assert "facts=keep" in refused.json()["error"]["message"]
    assert values(anna) == ["blue"]
    assert remove(anna, "work", "maybe").status_code == 400
    assert anna.delete("/v1/spaces/work?fact=keep").status_code == 400


def test_it_deletes_the_facts_with_the_space_where_that_is_said(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    for n in range(3):
        anna.author(f"desk.d{n}", f"blue {n}", space="work")
    anna.author("city", "Tartu")
    assert remove(anna, "work", "delete").json() == {"facts": {"deleted": 3}}
    assert values(anna) == ["Tartu"]
    assert len(anna.get("/v1/audit?event_type=memory.fact.user_deleted").json()["results"]) == 3


def test_it_lets_the_facts_hold_everywhere_where_that_is_said(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    anna.author("city", "Tartu")
    anna.author("work.role", "nurse", space="work")  # the profile says nothing of it
    anna.author("city", "Tallinn", space="work")  # the profile says otherwise
    anna.author("editor", "vim", space="work")
    anna.author("editor", "vim")  # the profile says the same
    done = remove(anna, "work", "keep").json()["facts"]
    assert done == {"kept": 1, "to_review": 1, "known": 1}
    facts = {f["value"]: f for f in anna.get("/v1/facts").json()["results"]}
    assert sorted(facts) == ["Tartu", "nurse", "vim"]
    assert {f["scope"] for f in facts.values()} == {"profile"}
    (waits,) = anna.get("/v1/facts?status=pending").json()["results"]
    assert (waits["value"], waits["scope"], waits["reasons"]) == ("Tallinn", "profile", ["space_removed"])


def test_the_default_space_stays(anna):
    anna.author("city", "Tartu", space="general")
    for facts in (None, "keep", "delete"):
        assert remove(anna, "general", facts).status_code == 409
    assert values(anna) == ["Tartu"]


def test_it_tells_a_new_space_from_a_removed_one_of_the_same_name(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    anna.author("desk", "blue", space="work")
    remove(anna, "work", "delete")
    anna.post("/v1/spaces", {"slug": "work"})
    assert values(anna, "?space=work&include_superseded=true") == []
    anna.author("desk", "green", space="work")
    assert values(anna, "?space=work") == ["green"]
