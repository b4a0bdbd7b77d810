"""GET /v1/work and POST /v1/work/{id}/retry."""

import pytest

from memory import work
from memory.errors import ModelRefusedRequest
from memory.models import WorkKind
from tests.caesar.api.told import make_work, tell


def give_up(text="It is against my rules."):
    claim = work.claim(WorkKind.EXTRACT, worker="test")
    work.fail(claim, ModelRefusedRequest(text, raw="<b>no</b>"), work.Costs(calls=1, model="m"))


def test_it_shows_what_waits_and_what_died_and_why(anna):
    tell(anna, "I like tea.", conversation_id="thread")
    make_work()
    (waiting,) = anna.get("/v1/work?state=waiting").json()["results"]
    assert (waiting["kind"], waiting["state"], waiting["error"]) == ("extract", "waiting", None)
    assert waiting["conversation_id"] == "thread"
    for _ in range(9):
        if anna.get("/v1/work?state=dead").json()["results"]:
            break
        give_up()
        anna.post(f"/v1/work/{waiting['id']}/retry") if anna.get("/v1/work?state=waiting").json()["results"] else None
    (dead,) = anna.get("/v1/work?state=dead").json()["results"]
    assert dead["error"] == {"code": "model_refused_request", "message": "It is against my rules."}
    assert dead["raw_reply"] == "<b>no</b>"
    again = anna.post(f"/v1/work/{dead['id']}/retry")
    assert again.status_code == 200
    assert (again.json()["state"], again.json()["attempts"]) == ("waiting", 0)


def test_it_does_not_take_work_from_a_worker_that_is_at_it(anna):
    tell(anna, "I like tea.")
    make_work()
    work.claim(WorkKind.EXTRACT, worker="test")
    (item,) = anna.get("/v1/work").json()["results"]
    response = anna.post(f"/v1/work/{item['id']}/retry")
    assert response.status_code == 409
    assert anna.get("/v1/work?state=running").json()["results"][0]["id"] == item["id"]


def test_it_does_not_promise_to_read_what_may_not_be_read(anna):
    tell(anna, "I like tea.")
    make_work()
    (item,) = anna.get("/v1/work").json()["results"]
    anna.patch("/v1/profile", {"memory_enabled": False})
    off = anna.post(f"/v1/work/{item['id']}/retry")
    assert (off.status_code, off.json()["error"]["code"]) == (409, "conflict")
    assert "not agreed to" in off.json()["error"]["message"]
    anna.patch("/v1/profile", {"memory_enabled": True})  # counts for what is said from now on
    assert anna.post(f"/v1/work/{item['id']}/retry").status_code == 409
    assert [row["state"] for row in anna.get("/v1/work").json()["results"]] == ["cancelled"]


@pytest.mark.parametrize("item_id", ["x", "0", "-1", "1e3", "9" * 40, "%00", "١"])
def test_it_has_no_item_of_another_name(anna, item_id):
    response = anna.post(f"/v1/work/{item_id}/retry")
    assert response.status_code == 404
    assert response.json() == {"error": {"code": "not_found", "message": "There is no such item."}}


@pytest.mark.parametrize("query", ["state=broken", "kind=dance", "states=dead"])
def test_it_refuses_a_filter_that_it_does_not_understand(anna, query):
    assert anna.get(f"/v1/work?{query}").status_code == 400
