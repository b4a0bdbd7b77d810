"""DELETE /v1/profile."""

import pytest

from memory import apikeys
from memory.db import operator_scope
from memory.models import AuditLog, Profile
from tests import everywhere
from tests.caesar.api.conftest import Api
from tests.caesar.api.told import make_work, tell
from tests.people import person

WORD = "quokkaville"
ERASE = {"confirm": "default"}


def mark(api, **headers):
    """The person is being erased right now, by somebody else."""
    with operator_scope():
        Profile.objects.filter(id=api.who.profile_id).update(
            erasing_at="2026-01-01T00:00:00Z", erasing={"actor": "operator", "rows": {}}
        )


@pytest.mark.parametrize(
    "body", [None, {}, {"confirm": ""}, {"confirm": "Default"}, {"confirm": True}, {"confirm": "default", "x": 1}]
)
def test_it_erases_nobody_who_does_not_say_so(anna, body):
    anna.author("city", WORD)
    response = anna.call("DELETE", "/v1/profile", body)
    assert response.status_code == 400, response.content
    assert "confirm" in response.json()["error"]["message"]
    assert len(anna.get("/v1/facts").json()["results"]) == 1


def test_it_erases_who_says_so_and_says_what_went(anna, bert, database):
    anna.author("city", WORD)
    tell(anna, f"I live in {WORD}.", conversation_id=WORD)
    make_work()
    bert.author("city", "Tartu")
    response = anna.call("DELETE", "/v1/profile", ERASE)
    assert response.status_code == 200
    assert response.json()["erased"]["personal_facts"] == 1
    assert everywhere.in_tables(database, WORD) == []
    assert everywhere.rows_of(database, anna.who.profile_id) == {}
    assert [f["value"] for f in bert.get("/v1/facts").json()["results"]] == ["Tartu"]


def test_it_starts_anew_for_who_comes_back(anna):
    anna.patch("/v1/profile", {"timezone": "Europe/Tallinn"})
    anna.call("DELETE", "/v1/profile", ERASE)
    fresh = anna.get("/v1/profile").json()
    assert (fresh["is_default"], fresh["memory_enabled"], fresh["summaries_enabled"]) == (True, False, False)
    assert fresh["timezone"] == "UTC"
    for path in ("/v1/facts", "/v1/conversations", "/v1/audit", "/v1/work"):
        assert anna.get(path).json()["results"] == [], path


def test_it_erases_only_the_profile_that_is_named(anna):
    kitchen = {"X-Caesar-Profile": "kitchen"}
    anna.author("city", WORD)
    anna.post("/v1/facts", {"value": "in the kitchen"}, **kitchen)
    assert anna.call("DELETE", "/v1/profile", ERASE, **kitchen).status_code == 400
    assert anna.call("DELETE", "/v1/profile", {"confirm": "kitchen"}, **kitchen).status_code == 200
    assert [f["value"] for f in anna.get("/v1/facts").json()["results"]] == [WORD]


def test_a_bound_key_goes_with_its_profile(database):
    carla = Api(person("carla", app_key=False))
    assert carla.call("DELETE", "/v1/profile", ERASE).status_code == 200
    assert carla.get("/v1/facts").status_code == 401
    assert apikeys.authenticate(carla.who.key) is None


def test_it_answers_nothing_else_while_somebody_is_being_erased(anna):
    mark(anna)
    for method, path, body in (
        ("GET", "/v1/facts", None),
        ("POST", "/v1/facts", {"value": WORD}),
        ("GET", "/v1/profile", None),
        ("PATCH", "/v1/profile", {"memory_enabled": True}),
        ("POST", "/v1/context", {}),
    ):
        response = anna.call(method, path, body)
        assert (response.status_code, response.json()["error"]["code"]) == (409, "being_erased"), path
    assert anna.get("/v1/facts", **{"X-Caesar-Profile": "kitchen"}).status_code == 200


def test_it_finishes_what_was_broken_off(anna):
    mark(anna)
    assert anna.call("DELETE", "/v1/profile", ERASE).status_code == 200
    assert anna.get("/v1/facts").json()["results"] == []
    with operator_scope():
        told = AuditLog.objects.get(event_type="memory.erased")
    assert told.profile_id is None
    assert "default" not in str(told.payload)


def test_the_log_tells_who_made_a_key_to_whose_it_is(database):
    carla = Api(person("carla", app_key=False))
    (row,) = carla.get("/v1/audit?event_type=settings.changed").json()["results"]
    assert row["payload"]["subject"] == "api_key"
