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
