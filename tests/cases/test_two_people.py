"""Two people on one installation: every id and every name of one, tried with the key of the other."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import get_resolver

from memory import erase
from memory.db import operator_scope
from tests import everywhere
from tests.cases.conftest import Someone, World

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

SECRET = "61k"
BERTS = "45k"
METHODS = ("GET", "POST", "PATCH", "DELETE")
BODY = {"value": "x", "name": "x", "ids": [], "confirm": "nobody"}


def salary(value: str) -> dict[str, Any]:
    return {"facts": [{"key": "salary", "value": value, "confidence": 0.95}], "summary": f"Earns {value}."}


@pytest.fixture
def anna(world: World) -> Someone:
    """She has something of every kind."""
    anna = world.someone("anna")
    anna.http.post("/v1/spaces", json={"slug": "annas"})
    anna.told(salary(SECRET), f"I earn {SECRET}.", conversation_id="CA")
    anna.told({"facts": [{"key": "boss.name", "value": "Zelda"}]}, "My boss is Zelda.", conversation_id="CA")
    gone = anna.http.post("/v1/facts", json={"key": "nickname", "value": f"Miss {SECRET}"}).json()
    anna.http.delete(f"/v1/facts/{gone['id']}")
    anna.http.post("/v1/facts", json={"value": f"Keeps {SECRET} in the annas space", "space": "annas"})
    file = {"content": f"I earn {SECRET}.".encode(), "headers": {"Content-Type": "application/octet-stream"}}
    assert anna.http.post("/v1/documents?name=pay.txt", **file).status_code in (201, 202)
    return anna


@pytest.fixture
def bert(world: World, anna: Someone) -> Someone:
    bert = world.someone("bert")
    bert.told(salary(BERTS), f"I earn {BERTS}.", conversation_id="CB")
    world.model.reset()
    return bert


def snapshot(who: Someone) -> list[Any]:
    with operator_scope():
        return [
            sorted(map(str, model._default_manager.filter(profile_id=who.who.profile_id).values()))
            for model in erase.tables()
        ]


def ids_of(who: Someone) -> dict[str, list[str]]:
    """What could stand in the place of each parameter of a route."""
    everything = ("/v1/facts?include_superseded=true", "/v1/facts?status=pending")
    facts = [fact["id"] for path in everything for fact in who.http.get(path).json()["results"]]
    gone = who.audit("memory.fact.user_deleted")[0]["payload"]["fact_id"]
    conversations = who.http.get("/v1/conversations").json()["results"]
    return {
        "fact_id": [*facts, gone],
        "entity_id": [entity["id"] for entity in who.http.get("/v1/entities").json()["results"]],
        "episode_id": [episode["id"] for episode in who.http.get("/v1/episodes").json()["results"]],
        "item_id": [item["id"] for kind in ("extract", "summarise") for item in who.work_items(kind)],
        "conversation_id": ["CA", *(c["id"] for c in conversations)],
        "document_id": [one["id"] for one in who.http.get("/v1/documents").json()["results"]],
        "slug": ["annas"],
        "alias": ["boss.name"],
    }


NOBODYS = {
    "fact_id": str(uuid.UUID(int=7)),
    "entity_id": str(uuid.UUID(int=7)),
    "episode_id": str(uuid.UUID(int=7)),
    "item_id": "999999999",
    "conversation_id": "nobodys",
    "document_id": str(uuid.UUID(int=7)),
    "slug": "nobodys",
    "alias": "nobodys.name",
}


def routes() -> Iterator[tuple[str, str]]:
    """(route, its parameter) of each route that has one."""
    api = next(p for p in get_resolver().url_patterns if str(p.pattern) == "v1/")
    for pattern in api.url_patterns:
        path = "/v1/" + str(pattern.pattern)
        if found := re.search(r"<str:(\w+)>", path):
            yield path, found[1]


def test_an_id_of_somebody_else_is_like_an_id_of_nobody(anna: Someone, bert: Someone):
    ids, before, tried = ids_of(anna), snapshot(anna), 0
    assert all(ids.values())
    for route, name in routes():
        for method in METHODS:
            body = BODY if method in ("POST", "PATCH") else None
            nobodys = bert.http.request(method, route.replace(f"<str:{name}>", NOBODYS[name]), json=body)
            for theirs in ids[name]:
                answer = bert.http.request(method, route.replace(f"<str:{name}>", theirs), json=body)
                assert (answer.status_code, answer.content) == (nobodys.status_code, nobodys.content), (method, route)
                assert answer.status_code in (400, 403, 404, 405)
                tried += 1
    assert tried > 100
    assert snapshot(anna) == before


def test_an_answer_to_many_leaves_those_of_others_alone(anna: Someone, bert: Someone):
    ids, before = ids_of(anna)["fact_id"], snapshot(anna)
    mine = [fact["id"] for fact in bert.facts()]
    for action in ("approve", "reject", "delete"):
        done = bert.http.post("/v1/facts/bulk", json={"action": action, "ids": [*ids, *mine]})
        assert done.status_code == 200
        assert SECRET not in done.text
        lines = {line["id"]: line for line in done.json()["results"]}
        assert {lines[i]["did"] for i in ids} == {"skipped"}
    assert bert.facts() == []
    assert snapshot(anna) == before


def test_erasing_one_leaves_the_other_as_they_were(anna: Someone, bert: Someone, database: Postgres):
    before = snapshot(anna)
    assert bert.http.request("DELETE", "/v1/profile", json={"confirm": "anna"}).status_code == 400
    assert bert.http.request("DELETE", "/v1/profile", json={"confirm": "default"}).status_code == 200
    assert snapshot(anna) == before
    assert everywhere.in_tables(database, BERTS) == []
    assert anna.held()["salary"] == SECRET


def names_of(anna: Someone) -> list[str]:
    return ["anna", str(anna.who.profile_id), str(anna.who.user_id)]


def test_no_name_in_a_request_changes_whose_memory_it_is(anna: Someone, bert: Someone):
    before = snapshot(anna)
    for name in names_of(anna):
        for field in ({"user_id": name}, {"metadata": {"user_id": name}}, {"profile": name}, {"profile_id": name}):
            for path in ("/v1/chat", "/v1/chat/completions", "/v1/embeddings"):
                asked = (
                    {"input": "x"}
                    if "embed" in path
                    else {"messages": [{"role": "user", "content": "What do I earn?"}]}
                )
                body = {**asked, **field}
                seen = bert.http.post(f"{path}?user_id={name}", json=body, headers={"X-User-Id": name})
                assert seen.status_code in (200, 400)
                assert SECRET not in seen.text
        asked = {"messages": [{"role": "user", "content": "What do I earn?"}], "user": name}
        named = bert.http.post("/v1/chat/completions", json=asked)  # a profile of his own, if anything
        assert named.status_code == 200
        assert SECRET not in named.text
    assert all(SECRET not in request.text for request in bert.world.model.requests)
    assert snapshot(anna) == before


def test_a_conversation_of_somebody_else_is_not_continued(anna: Someone, bert: Someone):
    before = snapshot(anna)
    theirs = anna.http.get("/v1/conversations").json()["results"][0]["id"]
    for name in ("CA", theirs):
        bert.chat("What did I say before?", conversation_id=name)
        # Not by sending its words again either.
        bert.chat(f"I earn {SECRET}.", "ok", "What do I earn?", conversation_id=name)
    assert snapshot(anna) == before


def test_the_words_of_somebody_else_find_nothing(anna: Someone, bert: Someone):
    for body in ({"query": f"salary {SECRET}"}, {"query": f"I earn {SECRET}."}):
        assert SECRET not in bert.http.post("/v1/context", json=body).json()["block"]
    assert SECRET not in bert.given("What do I earn? What is my salary?")
    for path in ("facts", "facts?status=pending", "facts/conflicts", "entities", "keys", "audit", "work", "spaces"):
        assert SECRET not in bert.http.get(f"/v1/{path}").text
    assert bert.http.get("/v1/facts", params={"q": SECRET}).json()["results"] == []


EACH = 250


def test_five_hundred_chats_by_turns_mix_nothing_up(world: World, anna: Someone, bert: Someone):
    """One web process and one worker; each person's next chat goes out while the other's is being answered."""
    broken: list[object] = []

    def chats(who: Someone, mine: str, theirs: str) -> None:
        for n in range(EACH):
            said = f"This is question {n} of the one who earns {mine}: what do I earn?"
            body = {"messages": [{"role": "user", "content": said}], "conversation_id": f"talk {n % 5}"}
            try:
                answer = who.http.post("/v1/chat", json=body)
                if answer.status_code != 200 or theirs in answer.text:
                    broken.append(answer.text)
            except Exception as error:
                broken.append(error)

    threads = [threading.Thread(target=chats, args=pair) for pair in ((anna, SECRET, BERTS), (bert, BERTS, SECRET))]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert broken == []
    assert world.work() > 0
    seen = {SECRET: 0, BERTS: 0}
    for request in world.model.requests:
        assert not (SECRET in request.text and BERTS in request.text)
        for mine in seen:
            seen[mine] += mine in request.text
    assert len(world.model.chats) == 2 * EACH
    assert min(seen.values()) > EACH
    assert all("boss" not in request.text for request in world.model.requests if BERTS in request.text)
