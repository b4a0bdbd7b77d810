"""GET, PATCH /v1/profile."""

import pytest


def test_it_shows_the_settings(anna):
    shown = anna.get("/v1/profile").json()
    assert shown.pop("created_at")
    assert shown == {
        "name": "default",
        "is_default": True,
        "memory_enabled": True,
        "summaries_enabled": True,
        "approval": "auto",
        "timezone": "UTC",
        "language": "",
        "sensitive_policy": dict.fromkeys(
            ("credential", "payment", "government_id", "health", "sensitive_personal"), "never"
        ),
    }


def test_it_changes_what_is_named_and_writes_it_down(anna):
    changed = anna.patch("/v1/profile", {"approval": "review", "timezone": "Europe/Tallinn"})
    assert changed.status_code == 200
    assert (changed.json()["approval"], changed.json()["memory_enabled"]) == ("review", True)
    (row,) = anna.get("/v1/audit?event_type=settings.changed").json()["results"]
    assert row["payload"]["new"] == {"approval": "review", "timezone": "Europe/Tallinn"}
    assert anna.patch("/v1/profile", {}).json() == changed.json()


@pytest.mark.parametrize(
    "body",
    [
        {"memory_enabled": "yes"},
        {"approval": "never"},
        {"timezone": "Mars/Base"},
        {"timezone": "../etc/passwd"},
        {"timezone": "x\u0000"},
        {"timezone": None},
        {"language": "e" * 99},
        {"name": "other"},
        {"is_default": False},
        {"user_id": 1},
    ],
)
def test_it_refuses_what_makes_no_sense(anna, body):
    response = anna.patch("/v1/profile", body)
    assert response.status_code == 400, response.content
    assert next(iter(body)) in response.json()["error"]["message"]


def test_it_opens_another_profile_of_the_same_user_by_its_name(anna):
    response = anna.get("/v1/profile", **{"X-Caesar-Profile": "kitchen"})
    assert (response.json()["name"], response.json()["memory_enabled"]) == ("kitchen", False)
    made = anna.post("/v1/facts", {"value": "in the kitchen"}, **{"X-Caesar-Profile": "kitchen"})
    assert made.status_code == 201
    assert anna.get("/v1/facts").json()["results"] == []
    assert anna.get(f"/v1/facts/{made.json()['id']}").status_code == 404
    assert anna.get("/v1/profile", **{"X-OpenWebUI-User-Id": "5c1e7a90"}).json()["name"] == "5c1e7a90"


@pytest.mark.parametrize("name", ["", "  ", "x" * 121])
def test_it_refuses_a_name_that_is_none(anna, name):
    response = anna.get("/v1/profile", **{"X-Caesar-Profile": name})
    assert response.status_code == 400
