"""Secrets, payment data, official ids and matters of health: never kept, in no status, on no path."""

from __future__ import annotations

import json

import pytest

from caesar.embedded.postgres import Postgres
from memory.db import operator_scope
from memory.models import Fact, WorkItem
from tests.cases.conftest import World
from tests.everywhere import in_tables
from tests.scripted_model import Text

SECRETS = ("sk-test-Zr81kQ0vYtR3mPq7LxW2bN5c", "AKIAZZ7QXRMPLB4QW2PN", "4111 1111 1111 1111", "tulip-Harbor-88")
TOLD = (
    f"Remember: prod key is {SECRETS[0]}, AWS {SECRETS[1]}, card {SECRETS[2]} exp 09/29, db password: {SECRETS[3]}. "
    "Also my order number is 4111 1111 1111 1112, and our repo folder is called sk-templates."
)


def entries(**facts: str) -> dict[str, object]:
    return {"facts": [{"key": k, "value": v, "confidence": 0.95} for k, v in facts.items()], "summary": "s"}


def test_it_keeps_no_secret_anywhere_and_no_look_alike_is_lost(world: World, database: Postgres):
    devon = world.someone("devon")
    raw = entries(openai_key=SECRETS[0], aws_key=SECRETS[1], card=SECRETS[2], db_password=SECRETS[3],
                  order_number="4111 1111 1111 1112", repo_folder="sk-templates")  # fmt: skip
    raw["summary"] = f"The person stored the key {SECRETS[0]} and the password {SECRETS[3]}."
    devon.told(raw, TOLD, f"Saved. Your key is {SECRETS[0]}.")
    values = {f["value"] for f in devon.facts() + devon.facts(status="pending")}
    assert values == {"4111 1111 1111 1112", "sk-templates"}
    for secret in SECRETS:
        assert in_tables(database, secret) == []
        assert not [r for r in world.model.extractions if secret in r.text]
    refused = devon.audit("memory.sensitive.refused")  # the facts, and the summary
    assert sorted(row["payload"]["classes"] for row in refused) == [["credential"], ["credential", "payment"]]
    (chat,) = devon.audit("chat.completed")
    assert chat["payload"]["redacted"] == ["credential", "payment"]
    assert "sk-templates" in chat["payload"]["messages"][0]["text"]


def test_it_keeps_no_secret_of_a_reading_that_failed(world: World, database: Postgres):
    devon = world.someone("devon")
    devon.told(Text(f"no json, but {SECRETS[0]}"), "I like tea in the morning.")
    (item,) = devon.work_items()
    assert item["error"]
    with operator_scope():
        kept = list(WorkItem.objects.values_list("raw_reply", flat=True))
    assert ["[redacted: credential]" in raw for raw in kept] == [True, True]
    assert in_tables(database, SECRETS[0]) == []


@pytest.mark.parametrize(("key", "value"), [("note", f"card {SECRETS[2]}"), ("wifi.password", "hunter2!x")])
def test_it_refuses_what_a_person_writes_and_says_so(world: World, database: Postgres, key: str, value: str):
    anna = world.someone("anna")
    refused = anna.http.post("/v1/facts", json={"key": key, "value": value})
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "sensitive_refused"
    fact = anna.http.post("/v1/facts", json={"key": "note", "value": "harmless"}).json()
    assert anna.http.patch(f"/v1/facts/{fact['id']}", json={"value": f"card {SECRETS[2]}"}).status_code == 400
    assert anna.held() == {"note": "harmless"}
    assert len(anna.audit("memory.sensitive.refused")) == 2
    assert in_tables(database, SECRETS[2]) == []


def test_it_asks_about_health_where_the_person_wants_to_be_asked(world: World):
    anna = world.someone("anna")
    words, raw = "I take sertraline every morning.", entries(medication="sertraline")
    anna.told(raw, words)
    assert anna.facts() + anna.facts(status="pending") == []
    assert anna.http.patch("/v1/profile", json={"sensitive_policy": {"health": "review"}}).status_code == 200
    anna.told(raw, words + " It helps.")
    assert anna.facts() == []
    (waiting,) = anna.facts(status="pending")
    assert waiting["sensitive"]
    assert waiting["reasons"] == ["sensitive:health"]
    assert anna.http.post(f"/v1/facts/{waiting['id']}/approve").status_code == 200
    assert anna.held() == {"medication": "sertraline"}


def test_it_takes_allergies_and_injuries_for_ordinary_facts(world: World):
    anna = world.someone("anna")
    anna.told(
        entries(allergy="penicillin", injury="broken wrist"), "I'm allergic to penicillin and have a broken wrist."
    )
    assert sorted(f["value"] for f in anna.facts()) == ["broken wrist", "penicillin"]


def test_it_keeps_a_harmless_fact_without_the_health_matter_beside_it(world: World):
    anna = world.someone("anna")
    said = "I take sertraline and my dog is called Beans."
    raw = {"facts": [{"key": "dog.name", "value": "Beans", "quote": said, "confidence": 0.9}]}
    anna.told(json.dumps(raw), said)
    (fact,) = anna.facts()
    assert "sertraline" not in fact["quote"]
    assert "Beans" in fact["quote"]
    with operator_scope():
        assert not Fact.objects.get().sensitive


@pytest.mark.parametrize(
    "policy", [{"credential": "allow"}, {"payment": "review"}, {"moods": "never"}, {"health": "?"}, 5]
)
def test_it_lets_nobody_relax_what_is_never_kept(world: World, policy: object):
    anna = world.someone("anna")
    answer = anna.http.patch("/v1/profile", json={"sensitive_policy": policy})
    assert answer.status_code == 400
    assert anna.http.get("/v1/profile").json()["sensitive_policy"]["credential"] == "never"
