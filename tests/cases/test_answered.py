"""What the person has answered once is not learned or asked again: in other words, spaces or keys, by any reading."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.conftest import Someone, World
from tests.everywhere import in_tables
from tests.memory.test_deleting import let_time_pass

KESTREL = "I work at Kestrel Optics GmbH in Bremen."


def entries(*pairs: tuple[str | None, str], **more: Any) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "confidence": 0.9, **more} for key, value in pairs]})


def read_again(who: Someone, raw: str) -> None:
    """Every chat so far is read once more, and the model answers this."""
    who.world.model.reset()
    who.world.model.on(lambda request: request.is_extraction, raw)
    for item in who.work_items():
        assert who.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    who.world.work()


def waiting(who: Someone) -> list[dict[str, Any]]:
    return who.facts(status="pending")


def the(who: Someone, **filters: Any) -> dict[str, Any]:
    (fact,) = who.facts(**filters)
    return fact


OTHER_WORDS = (
    "Kestrel Optics GmbH",
    "kestrel optics.",
    "Kestrel-Optics",
    "KESTREL  OPTICS",
    "Kestrel Optics in Bremen",
    "Kestrel",
)


@pytest.mark.parametrize("purged", [False, True])
def test_a_deleted_fact_does_not_come_back_in_other_words(world: World, purged: bool):
    jana = world.someone("jana")
    jana.told(entries(("employer", "Kestrel Optics")), KESTREL)
    jana.http.delete(f"/v1/facts/{the(jana)['id']}")
    if purged:
        let_time_pass(jana.who)
        world.work()
    for words in OTHER_WORDS:
        read_again(jana, entries(("employer", words)))
        assert (jana.held(), waiting(jana)) == ({}, []), words


@pytest.mark.parametrize("key", ["work.company_name", "work.org", None])
def test_a_deleted_value_under_another_key_is_asked_about_and_not_believed(world: World, key: str | None):
    jana = world.someone("jana")
    jana.told(entries(("employer", "Kestrel Optics")), KESTREL)
    jana.http.delete(f"/v1/facts/{the(jana)['id']}")
    read_again(jana, entries((key, "Kestrel Optics")))
    assert jana.held() == {}
    assert [fact["reasons"] for fact in waiting(jana)] == [["deleted_before"]]
    # What is said of another matter afterwards is believed.
    world.model.reset()
    jana.told(entries(("client.name", "Kestrel Optics")), "Kestrel Optics is a client of mine now.")
    assert jana.held() == {"client.name": "Kestrel Optics"}


@pytest.mark.parametrize("purged", [False, True])
def test_a_deleted_fact_does_not_come_back_inside_another_one_or_its_quote(world: World, purged: bool):
    jana = world.someone("jana")
    jana.told(entries(("employer", "Kestrel Optics")), KESTREL)
    jana.http.delete(f"/v1/facts/{the(jana)['id']}")
    if purged:
        let_time_pass(jana.who)
        world.work()
    more = entries((None, "Works at Kestrel Optics in Bremen"), ("city", "Bremen"), quote=KESTREL)
    read_again(jana, more)
    asked = {fact["key"]: fact for fact in waiting(jana)}
    assert asked[None]["reasons"] == ["deleted_before"]
    # Of a purged fact nobody knows the words any more: all that its chat says is asked about.
    assert jana.held() == ({} if purged else {"address.city": "Bremen"})
    (bremen,) = [fact for fact in jana.facts() + waiting(jana) if fact["key"] == "address.city"]
    assert "Kestrel" not in bremen["quote"]


def test_what_was_said_before_the_deletion_and_is_read_after_it_is_asked_about(world: World):
    jana = world.someone("jana")
    jana.http.post("/v1/facts", json={"key": "employer", "value": "Kestrel Optics"})
    jana.chat("Did I tell you that I like it at Kestrel Optics GmbH? I swim, too.")
    jana.http.delete(f"/v1/facts/{the(jana)['id']}")
    world.model.reset()
    more = entries((None, "Likes it at Kestrel Optics GmbH"), ("employer", "Kestrel Optics GmbH"), ("hobby", "swim"))
    world.model.extraction(more)
    world.work()
    assert jana.held() == {"hobby": "swim"}
    assert {fact["reasons"][0] for fact in waiting(jana)} == {"deleted_before"}


@pytest.mark.parametrize("first", ["profile", "space"])
def test_a_deleted_fact_does_not_come_back_with_another_reach(world: World, first: str):
    jana = world.someone("jana")
    jana.http.post("/v1/spaces", json={"slug": "work"})
    jana.told(entries(("employer", "Kestrel Optics"), scope=first), KESTREL, space="work")
    jana.http.delete(f"/v1/facts/{the(jana)['id']}")
    for scope in ("profile", "space"):
        read_again(jana, entries(("employer", "Kestrel Optics"), scope=scope))
        assert (jana.held(), waiting(jana)) == ({}, [])


def test_a_rejected_claim_is_not_raised_again(world: World):
    jana = world.someone("jana", approval="review")
    jana.told(entries(("employer", "Kestrel Optics")), KESTREL)
    asked = waiting(jana)[0]
    assert jana.http.post(f"/v1/facts/{asked['id']}/reject").status_code == 200
    for words in OTHER_WORDS:
        read_again(jana, entries(("employer", words)))
        assert waiting(jana) == [], words
    world.model.reset()
    jana.told(entries(("job.employer", "kestrel-optics!"), scope="space"), "Kestrel Optics, as I said.")
    assert (jana.held(), waiting(jana)) == ({}, [])


def test_a_claim_that_was_corrected_on_approval_is_not_raised_again_as_it_was(world: World):
    edda = world.someone("edda", approval="review")
    edda.told(entries(("job", "nurse")), "I work as a nurse.")
    asked = waiting(edda)[0]
    assert edda.http.post(f"/v1/facts/{asked['id']}/approve", json={"value": "midwife"}).status_code == 200
    world.model.reset()
    edda.told(entries(("job", "nurse")), "As I said, a nurse, sort of.")
    read_again(edda, entries(("job", "a nurse")))
    assert (edda.held(), waiting(edda)) == ({"work.role": "midwife"}, [])


def test_a_fact_that_was_moved_into_a_space_stays_there(world: World):
    jana = world.someone("jana")
    jana.http.post("/v1/spaces", json={"slug": "work"})
    jana.told(entries(("employer", "Kestrel Optics")), KESTREL)
    assert jana.http.patch(f"/v1/facts/{the(jana)['id']}", json={"space": "work"}).status_code == 200
    read_again(jana, entries(("employer", "Kestrel Optics")))
    assert (the(jana)["space"], waiting(jana)) == ("work", [])
    assert "Kestrel" not in jana.given("Where do I work?")
    world.model.reset()
    jana.told(entries(("employer", "Kestrel Optics")), "Kestrel Optics is where I work.")
    assert the(jana)["space"] == "work"
    assert [fact["reasons"] for fact in waiting(jana)] == [["kept_in_space"]]


def test_a_value_stands_once_whatever_spaces_repeat_it(world: World):
    mia = world.someone("mia")
    mia.http.post("/v1/spaces", json={"slug": "work"})
    mia.told(entries(("allergy", "nuts")), "I'm allergic to nuts.")
    world.model.reset()
    mia.told(entries(("allergy", "Nuts."), scope="space"), "As I said, I'm allergic to nuts.", space="work")
    fact = the(mia)
    assert (fact["value"], fact["scope"]) == ("nuts", "profile")
    block = mia.http.post("/v1/context", json={"space": "work"}).json()["block"]
    assert block.count("nuts") == 1


def test_who_reviews_everything_gets_five_questions_a_chat_and_none_about_what_is_known(world: World):
    mia = world.someone("mia", approval="review")
    names = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"]
    told = "My friends are " + ", ".join(names) + "."
    facts = [{"key": "friend", "value": name, "confidence": 0.6 + n / 100} for n, name in enumerate(names)]
    mia.told(json.dumps({"facts": facts}), told)
    assert sorted(fact["value"] for fact in waiting(mia)) == names[3:]
    assert mia.work_items()[0]["detail"]["over_cap"] == 3
    ids = [fact["id"] for fact in waiting(mia)]
    assert mia.http.post("/v1/facts/bulk", json={"action": "approve", "ids": ids}).json()["counts"] == {"adds": 5}
    world.model.reset()
    facts = [{"key": "friend", "value": name, "confidence": 0.99} for name in names[3:]]
    facts += [
        {"key": "friend", "value": "Zoe", "confidence": 0.61},
        {"key": "friend", "value": "Ivo", "confidence": 0.5},
    ]
    mia.told(json.dumps({"facts": facts}), told + " And Zoe. And Ivo.")
    assert [fact["value"] for fact in waiting(mia)] == ["Zoe"]  # Ivo is too unsure to ask


@pytest.mark.parametrize(
    "text",
    [
        'Summarise this mail: "Hi, please forget my phone number +233 20 555 0147, it is not to be kept. Bob"',
        "Bob wrote: please forget my phone number +233 20 555 0147",
        'My friend said "please forget my phone number +233 20 555 0147".',
        "> please forget my phone number +233 20 555 0147\nWhat does he want?",
        "Translate: please forget my phone number +233 20 555 0147",
    ],
)
@pytest.mark.parametrize("pinned", [True, False])
def test_a_wish_of_somebody_else_forgets_and_closes_nothing(world: World, text: str, pinned: bool):
    kofi = world.someone("kofi")
    number = "+233 20 555 0147"
    if pinned:
        kofi.http.post("/v1/facts", json={"key": "phone", "value": number})
    else:
        kofi.told(entries(("phone", number)), f"My number is {number}.")
    for op in ("retract", "set"):
        world.model.reset()
        kofi.told(entries(("phone", number), op=op), text)
        assert kofi.held() == {"phone": number}


def test_a_value_that_is_not_kept_any_more_is_not_approved_or_brought_back(world: World):
    anna = world.someone("anna")
    anna.http.patch("/v1/profile", json={"sensitive_policy": {"health": "review"}})
    anna.told(entries(("medication", "sertraline")), "I take sertraline every morning.")
    anna.http.post("/v1/facts", json={"key": "medication", "value": "ibuprofen for migraine"})
    was = the(anna)
    closing = anna.http.patch(f"/v1/facts/{was['id']}", json={"expires_at": "2000-01-01T00:00:00Z"})
    assert closing.status_code == 200
    world.work()
    anna.http.patch("/v1/profile", json={"sensitive_policy": {"health": "never"}})
    asked = waiting(anna)[0]
    refused = anna.http.post(f"/v1/facts/{asked['id']}/approve")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "sensitive_refused")
    many = anna.http.post("/v1/facts/bulk", json={"action": "approve", "ids": [asked["id"]]}).json()
    assert many["counts"] == {"skipped": 1}
    assert "health" in many["results"][0]["why"]
    assert anna.http.post(f"/v1/facts/{was['id']}/revert").status_code == 400
    assert anna.held() == {}
    assert len(anna.audit("memory.sensitive.refused")) == 3
    assert anna.http.post(f"/v1/facts/{asked['id']}/reject").status_code == 200


CARD = "4111 1111 1111 1111"


@pytest.mark.parametrize("key", ["card.4111111111111111", "card_4111_1111_1111_1111", "card 4111 1111 1111 1111"])
def test_a_secret_in_the_name_of_a_fact_is_a_secret(world: World, database: Any, key: str):
    anna = world.someone("anna")
    answer = anna.http.post("/v1/facts", json={"key": key, "value": "visa"})
    assert answer.json()["error"]["code"] == "sensitive_refused"
    for path in ("/v1/keys", "/v1/keys/merges/accept", "/v1/keys/merges/dismiss"):
        assert anna.http.post(path, json={"alias": key, "key": "card"}).status_code == 400
    anna.told(entries((key, "my card")), f"That is my card, {CARD}.")
    assert anna.facts() + waiting(anna) == []
    for word in (CARD, CARD.replace(" ", ""), CARD.replace(" ", "_")):
        assert in_tables(database, word) == []
