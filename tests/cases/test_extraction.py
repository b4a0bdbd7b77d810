"""What models and people do to extraction, and what must come of it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from caesar.embedded.postgres import Postgres
from tests.cases.conftest import World
from tests.everywhere import in_tables
from tests.scripted_model import Body, Status


def entries(**facts: Any) -> dict[str, Any]:
    return {"facts": [{"key": k, "value": v, "confidence": 0.95} for k, v in facts.items()], "summary": "s"}


def test_it_finds_the_json_between_greetings_and_fences(world: World):
    maarja = world.someone("maarja")
    raw = (
        "Sure! Here is what I found:\n\n```json\n"
        '{"facts":[{"key":"home_city","value":"Tartu","confidence":0.93}],"summary":"Where they live."}\n'
        "```\n\nNote: I skipped the floor because it is minor.\n```text\ndone\n```\n"
    )
    maarja.told(raw, "Moved in last week - I live in Tartu now, third floor, no lift.", "Congratulations!")
    (fact,) = maarja.facts()
    assert (fact["key"], fact["value"], fact["confidence"]) == ("address.city", "Tartu", 0.93)
    (item,) = maarja.work_items()
    assert item["state"] == "done"
    assert len(world.model.extractions) <= 2


@pytest.mark.parametrize("opening", ["<think>\n", ""])
def test_it_takes_nothing_from_a_models_thoughts(world: World, database: Postgres, opening: str):
    ines = world.someone("ines")
    raw = (
        opening + 'Draft: {"facts":[{"key":"diet","value":"vegan","confidence":0.9}],"summary":""}\n'
        "Wait, the brother is vegan, not the user. Drop it.\n</think>\n"
        '{"facts":[{"key":"food_dislike","value":"coriander","confidence":0.9}],"summary":"Food preferences."}'
    )
    ines.told(raw, "My brother is vegan. I eat everything, but no coriander please.", "Understood, no coriander.")
    assert [f["value"] for f in ines.facts()] + [f["value"] for f in ines.facts(status="pending")] == ["coriander"]
    told = [row for row in ines.http.get("/v1/audit").json()["results"] if row["event_type"] != "chat.completed"]
    episodes = ines.http.get("/v1/episodes").json()["results"]
    assert "vegan" not in json.dumps([told, episodes, ines.given("What do I eat?")])
    assert in_tables(database, "think>") == []


def test_it_takes_an_empty_answer_for_a_failure(world: World):
    pavel = world.someone("pavel")
    thinking = "The user works nights, maybe he is a baker; perhaps facts: job=baker. I should answer with JSON."
    empty = {
        "id": "x1",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": None, "reasoning_content": thinking},
            }
        ],
        "usage": {"prompt_tokens": 310, "completion_tokens": 44, "total_tokens": 354},
    }
    pavel.told(Body(empty), "I'm allergic to penicillin and I work nights at the Brno bakery.", "Noted.")
    (item,) = pavel.work_items()
    assert item["state"] != "done"
    assert "empty" in item["error"]["message"]
    assert pavel.facts() == []
    world.model.reset()
    world.model.extraction(json.dumps(entries(allergy="penicillin")))
    assert pavel.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    assert pavel.held() == {"allergy": "penicillin"}
    assert len(pavel.audit("memory.fact.added")) == 1


def test_it_reads_confidence_in_every_shape(world: World):
    nadia = world.someone("nadia")
    raw = (
        '{"facts":[{"key":"language","value":"Farsi","confidence":"0.9"},{"key":"hobby","value":"chess","confidence":95},'
        '{"key":"bike","value":"Brompton","confidence":"95%"},{"key":"collection","value":"stamps","confidence":"high"},'
        '{"key":"drink","value":"mate","confidence":NaN},{"key":"sport","value":"running","confidence":Infinity},'
        '{"key":"craft","value":"knitting","confidence":true},{"key":"baking","value":"rye bread","confidence":null},'
        '{"key":"repair_skill","value":"radios"},{"key":"dislike","value":"karaoke","confidence":-0.4}],"summary":"h"}'
    )
    nadia.told(
        raw,
        "I speak Farsi, play chess, own a Brompton, collect stamps, drink mate, run at dawn, knit, bake rye bread, "
        "fix radios and hate karaoke.",
        "What a list!",
    )
    current, waiting = nadia.facts(), nadia.facts(status="pending")
    assert [f["confidence"] for f in current if f["value"] == "Farsi"] == [0.9]
    assert {f["value"] for f in current} <= {"Farsi", "chess", "Brompton"}
    assert all(0 <= f["confidence"] <= 1 for f in (*current, *waiting))
    (item,) = nadia.work_items()
    assert len(current) + len(waiting) + len(item["detail"].get("dropped", [])) == 10


def test_it_salvages_what_is_usable_entry_by_entry(world: World):
    tomas = world.someone("tomas")
    raw = (
        '{"facts":["User has two kids",{"age":41},{"key":"children","value":["Ada","Bo"],"confidence":0.9},'
        '{"key":"shoe_size","value":43.5,"confidence":0.9},{"key":"smoker","value":false,"confidence":0.9},'
        '{"key":"partner","value":null,"confidence":0.9},{"key":"address","value":{"city":"Plzen","zip":"30100"},'
        '"confidence":0.9},{"key":"nickname","value":"   ","confidence":0.9},null,42],"summary":["kids","age"]}'
    )
    tomas.told(raw, "I have two kids, Ada and Bo, I'm 41, I don't smoke and my shoe size is 43.5.", "Got it.")
    held = tomas.held()
    assert held["child.name"] == ["Ada", "Bo"]
    assert held["shoe_size"] == "43.5"
    assert not {"spouse.name", "nickname"} & {f["key"] for f in tomas.facts() + tomas.facts(status="pending")}
    values = [f["value"] for f in tomas.facts() + tomas.facts(status="pending")]
    assert not [v for v in values if v in ("None", "null", "False") or v.startswith(("['", "{'"))]
    (item,) = tomas.work_items()
    assert item["state"] == "done"
    assert item["detail"]["dropped"]


def test_it_keeps_a_flood_of_facts_out(world: World):
    bela, dana = world.someone("bela"), world.someone("dana")
    flood = [{"key": "instrument", "value": "bassoon", "confidence": 0.95}]
    flood += [
        {"key": f"user_note_{n}", "value": f"User enjoys music {n}", "confidence": 0.99} for n in range(1, 10_000)
    ]
    world.model.on(lambda r: r.is_extraction and "bassoon" in r.text, json.dumps({"facts": flood, "summary": "x"}))
    world.model.on(lambda r: r.is_extraction and "Zorro" in r.text, json.dumps(entries(dog_name="Zorro")))
    bela.chat("I play the bassoon in the Pecs youth orchestra.", "Impressive!")
    dana.chat("My dog's name is Zorro.", "Nice.")
    world.work()
    assert len(bela.facts(page_size=200)) + len(bela.facts(status="pending", page_size=200)) <= 100
    assert "bassoon" in [f["value"] for f in bela.facts()]
    started = time.monotonic()
    page = bela.http.get("/v1/facts").json()
    assert time.monotonic() - started < 2
    assert len(page["results"]) <= 50
    (item,) = bela.work_items()
    assert any(d["reason"] == "over_cap" for d in item["detail"]["dropped"])
    assert dana.held() == {"dog.name": "Zorro"}


def test_it_learns_nothing_from_what_the_assistant_says(world: World):
    wilma = world.someone("wilma")
    raw = entries(name="Vesper", home_city="Lisbon", favourite_food="octopus", job="nurse", diet="pescatarian")
    wilma.told(
        raw,
        "What should I cook tonight? Something quick.",
        "I'm Vesper, trained in Lisbon, and I adore octopus. Since you are a pescatarian nurse, how about mussels?",
        "Ha, I'm not a nurse. But pescatarian, yes, correct.",
    )
    assert wilma.held() == {"diet": "pescatarian"}
    given = wilma.given("What do you know about me?")
    assert not [word for word in ("Vesper", "Lisbon", "octopus", "nurse") if word in given]
    (fact,) = wilma.facts()
    assert "pescatarian, yes" in fact["quote"]


def test_it_tells_the_model_who_speaks_and_that_play_is_play(world: World):
    rhea = world.someone("rhea")
    rhea.told(
        entries(),
        "Let's play: you are the ship's AI, I'm Captain Orla Venn, 61, from Ceres, and I'm allergic to starlight.",
        "Aye, Captain Venn. Course?",
        "Set course for Vesta. (pause the game a sec: I have a dentist appointment on 14 May 2026 at 9, real life)",
    )
    asked = world.model.extractions[-1].messages
    text = "\n".join(str(m["content"]) for m in asked)
    assert "role-play" in text
    assert '"from": "person"' in text or '"role"' in text


PLAY = (
    "Let's play: you are the ship's AI, I'm Captain Orla Venn, 61, from Ceres, and I'm allergic to starlight.",
    "Aye, Captain Venn. Course?",
    "Set course for Vesta. (pause the game a sec: I have a dentist appointment on 14 May 2026 at 9, real life, remind "
    "me later)",
    "Noted. Back to the bridge?",
    "Yes. Captain Venn draws her blaster.",
)


def test_what_a_model_takes_from_a_game_is_not_believed(world: World):
    """The model knows no better: it takes all of it for true."""
    rhea = world.someone("rhea")
    raw = entries(name="Orla Venn", age="61", birth_place="Ceres", allergy="starlight", weapon="blaster")
    raw["facts"].append({"key": "dentist.appointment", "value": "2026-05-14 9:00", "confidence": 0.95})
    rhea.told(raw, *PLAY)
    assert rhea.held() == {"dentist.appointment": "2026-05-14 9:00"}
    given = rhea.given("What's my name?")
    assert not [word for word in ("Orla", "Venn", "Ceres", "starlight", "blaster") if word in given]


def test_it_takes_a_resent_history_once(world: World):
    """The client resends everything each turn, with its own system prompt and the block that it was given."""
    otto = world.someone("otto")
    for key, value in (("dog.name", "Pixel"), ("address.city", "Namur")):
        assert otto.http.post("/v1/facts", json={"key": key, "value": value}).status_code == 201
    first_seen = {f["key"]: f["first_seen_at"] for f in otto.facts()}
    lines = [f"Small talk number {n}, nothing of note." for n in range(1, 13)]
    lines[4] = "My bike is a Brompton."
    world.model.reply("Indeed (1).")
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are Kestrel. The company is Acme Boats. Support is open 9-17."}
    ]
    world.model.extraction(json.dumps({"facts": [], "summary": ""}))
    world.model.on(
        lambda request: request.is_extraction and "Brompton" in request.text,
        json.dumps(entries(bike="Brompton", dog_name="Pixel")),
    )
    for n, line in enumerate(lines, 1):
        messages.append({"role": "user", "content": line})
        otto.chat(*messages)
        sent = world.model.chats[-1].messages
        block = next((m for m in sent if "told me" in str(m["content"])), None)
        if n >= 3 and block is not None:
            messages.insert(1, {"role": "system", "content": block["content"]})
        messages.append({"role": "assistant", "content": f"Indeed ({n})."})
        world.model.reply(f"Indeed ({n + 1}).")
        if n == 6:
            pixel = next(f for f in otto.facts() if f["value"] == "Pixel")
            assert otto.http.delete(f"/v1/facts/{pixel['id']}").status_code == 204
        world.work()
    held = otto.facts() + otto.facts(status="pending")
    assert sorted(f["value"] for f in held) == ["Brompton", "Namur"]
    assert {f["key"]: f["first_seen_at"] for f in held}["address.city"] == first_seen["address.city"]
    stored = [
        m["text"] for row in otto.audit("chat.completed") for m in row["payload"]["messages"] if m["role"] == "user"
    ]
    assert len(stored) == 12
    assert len(world.model.extractions) <= 12
    assert not [r for r in world.model.extractions if "Acme Boats" in r.text or "told me" in r.text]


def test_it_lets_no_old_words_win_that_a_client_sends_again_without_answers(world: World):
    rita = world.someone("rita")
    for where, city in (("c1", "Rome"), ("c2", "Oslo")):
        rita.told(entries(home_city=city), f"My city is {city}", conversation_id=where)
    world.model.extraction(json.dumps(entries(home_city="Rome")))
    again = [{"role": "user", "content": text} for text in ("My city is Rome", "thanks, tell me about my cheese")]
    rita.chat(*again, conversation_id="c1")
    world.work()
    assert rita.held() == {"address.city": "Oslo"}
    stored = [m["text"] for row in rita.audit("chat.completed") for m in row["payload"]["messages"]]
    assert stored.count("My city is Rome") == 1


def test_it_keeps_off_the_record_what_is_sent_again_after_the_model_failed(world: World):
    liam = world.someone("liam")
    secret = {"role": "user", "content": "My secret animal is a lion"}
    world.model.reply(Status(500, "boom"))
    failed = liam.http.post("/v1/chat", json={"messages": [secret], "memory": "off"})
    assert failed.status_code >= 500
    world.model.reset()
    world.model.on(lambda r: r.is_extraction and "lion" in r.text, json.dumps(entries(secret_animal="lion")))
    liam.chat(secret, {"role": "user", "content": "and what do I do on my free evening"})
    world.work()
    assert "lion" not in json.dumps([*liam.facts(), *liam.facts(status="pending"), *liam.audit("chat.completed")])
    assert not [r for r in world.model.extractions if "lion" in r.text]


def test_it_survives_a_provider_that_counts_absurdly(world: World):
    mona = world.someone("mona")
    body = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
                     "content": json.dumps(entries(dog_name="Beans"))}}],
        "usage": {"prompt_tokens": 10**12, "completion_tokens": 10**12, "total_tokens": 2 * 10**12},
    }  # fmt: skip
    mona.told(Body(body), "My dog's name is Beans.")
    assert mona.held() == {"dog.name": "Beans"}
