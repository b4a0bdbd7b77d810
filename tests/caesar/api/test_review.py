"""POST /v1/facts/{id}/approve, /reject, /revert, /undelete, /v1/facts/bulk, GET /v1/facts/conflicts."""

from __future__ import annotations

import pytest

from tests.memory.saying import tell
from tests.memory.test_deleting import let_time_pass


@pytest.fixture
def waiting(anna):
    """A proposal against what holds now."""
    tell(anna.who, "address.city", "Graz")
    fact = tell(anna.who, "address.city", "Linz", current=False, reasons=("low_confidence",))
    return f"/v1/facts/{fact.id}"


def held(api, **query):
    wanted = "&".join(f"{k}={v}" for k, v in query.items())
    return [f["value"] for f in api.get(f"/v1/facts?{wanted}").json()["results"]]


def test_it_approves(anna, waiting):
    response = anna.post(f"{waiting}/approve")
    assert response.status_code == 200, response.content
    assert (response.json()["value"], response.json()["status"], response.json()["reasons"]) == ("Linz", "approved", [])
    assert held(anna) == ["Linz"]
    assert held(anna, status="pending") == []
    assert anna.post(f"{waiting}/approve").status_code == 409


def test_it_approves_with_corrections(anna, waiting):
    sent = {"value": "Wels", "importance": 0.8, "version": anna.get(waiting).json()["version"]}
    fact = anna.post(f"{waiting}/approve", sent).json()
    assert (fact["value"], fact["importance"], fact["pinned"]) == ("Wels", 0.8, True)
    assert held(anna) == ["Wels"]
    history = anna.get(f"{waiting}/history").json()["results"]
    assert [f["value"] for f in history] == ["Wels", "Graz"]


def test_it_rejects(anna, waiting):
    assert anna.post(f"{waiting}/reject").json()["status"] == "rejected"
    assert held(anna, status="rejected") == ["Linz"]
    assert held(anna) == ["Graz"]
    assert anna.post(f"{waiting}/reject", {}).status_code == 409


def test_it_reverts(anna):
    first = anna.author("city", "Oslo")
    anna.author("city", "Tallinn")
    fact = anna.post(f"/v1/facts/{first['id']}/revert", {"version": 2}).json()
    assert (fact["id"], fact["value"], fact["valid_to"], fact["pinned"]) == (first["id"], "Oslo", None, True)
    assert held(anna) == ["Oslo"]
    assert anna.post(f"/v1/facts/{first['id']}/revert").status_code == 409


def test_it_takes_a_deletion_back_for_a_while(anna):
    made = anna.author("dog.name", "Beans")
    anna.delete(f"/v1/facts/{made['id']}")
    assert anna.post(f"/v1/facts/{made['id']}/undelete").json()["value"] == "Beans"
    anna.delete(f"/v1/facts/{made['id']}")
    let_time_pass(anna.who)
    assert anna.post(f"/v1/facts/{made['id']}/undelete").status_code == 409


def test_it_shows_each_change_beside_what_it_would_replace(anna, waiting):
    for name in ("Pixel", "Byte"):
        tell(anna.who, "dog.name", name, many=True)
    tell(anna.who, "dog.name", "dog", many=True, op="retract")
    tell(anna.who, "hobby", "chess", many=True, current=False)
    page = anna.get("/v1/facts/conflicts").json()
    shown = [(c["effect"], c["proposed"]["value"], c["current"]["value"]) for c in page["results"]]
    assert shown == [("closes", "dog", "Pixel"), ("closes", "dog", "Byte"), ("replaces", "Linz", "Graz")]
    assert page["results"][0]["proposed"]["op"] == "retract"
    assert (page["next"], page["previous"]) == (None, None)
    anna.post(f"{waiting}/reject")
    assert len(anna.get("/v1/facts/conflicts").json()["results"]) == 2


def test_it_answers_many_at_once(anna, waiting):
    hobby = tell(anna.who, "hobby", "chess", many=True, current=False)
    nobody = "0190aaaa-0000-7000-8000-000000000000"
    sent = {"action": "approve", "ids": [waiting.rsplit("/", 1)[1], str(hobby.id), nobody], "dry_run": True}
    tried = anna.post("/v1/facts/bulk", sent).json()
    assert tried["counts"] == {"replaces": 1, "adds": 1, "skipped": 1}
    assert held(anna) == ["Graz"]
    done = anna.post("/v1/facts/bulk", {**sent, "dry_run": False}).json()
    assert done["results"] == tried["results"]
    assert done["results"][0]["replaces"][0]["value"] == "Graz"
    assert done["results"][2]["why"]
    assert sorted(held(anna)) == ["Linz", "chess"]
    gone = anna.post("/v1/facts/bulk", {"action": "delete", "ids": sent["ids"]}).json()
    assert gone["counts"] == {"deleted": 2, "skipped": 1}


@pytest.mark.parametrize(
    "sent",
    [{}, {"action": "approve"}, {"action": "like", "ids": []}, {"action": "approve", "ids": []},
     {"action": "approve", "ids": "x"}, {"action": "approve", "ids": ["x"]}, {"action": "approve", "ids": [1]},
     {"action": ["approve"], "ids": []}, {"action": "reject", "ids": ["x"], "dry_run": "yes"},
     {"action": "reject", "ids": [], "all": True},
     {"action": "reject", "ids": ["0190aaaa-0000-7000-8000-000000000000"] * 501}],
)  # fmt: skip
def test_it_says_what_is_wrong_with_an_answer_to_many(anna, sent):
    response = anna.post("/v1/facts/bulk", sent)
    assert response.status_code == 400, response.content
    assert response.json()["error"]["code"] == "invalid_input"


@pytest.mark.parametrize("verb", ["approve", "reject", "revert"])
@pytest.mark.parametrize("sent", [{"version": "1"}, {"key": "x"}, {"status": "approved"}])
def test_it_says_what_is_wrong_with_an_answer(anna, waiting, verb, sent):
    assert anna.post(f"{waiting}/{verb}", sent).status_code == 400
    assert held(anna, status="pending") == ["Linz"]


@pytest.mark.parametrize("verb", ["approve", "reject", "revert", "undelete"])
def test_it_lets_nobody_else_answer(anna, bert, nobody, waiting, verb):
    unknown = bert.post(f"/v1/facts/0190aaaa-0000-7000-8000-000000000000/{verb}")
    theirs = bert.post(f"{waiting}/{verb}")
    assert (theirs.status_code, theirs.json()) == (404, unknown.json())
    assert bert.post(f"/v1/facts/x/{verb}").json() == unknown.json()
    assert nobody.post(f"{waiting}/{verb}").status_code == 401
    assert bert.get("/v1/facts/conflicts").json()["results"] == []
    assert held(anna, status="pending") == ["Linz"]
