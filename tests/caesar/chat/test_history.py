"""Clients resend everything; what was said is kept once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx

from tests.caesar.chat.looking import know, rows, user
from tests.scripted_model import ScriptedModel, Text

if TYPE_CHECKING:
    from tests.people import Person

KESTREL = "You are Kestrel. The company is Acme Boats. Support is open 9-17. " * 60
LINES = [
    *("Morning!", "How was the regatta?", "Nice weather today.", "What should I cook?"),
    *("My bike is a Brompton.", "Tell me a joke.", "Another one.", "Thanks!"),
    *("What is new?", "Sounds good.", "See you.", "Bye!"),
]


def kept(role: str) -> list[str]:
    """What the log holds of a role's messages, the earliest first."""
    return [m["text"] for r in rows() for m in r.payload["messages"] if m["role"] == role]


def test_it_keeps_each_message_of_a_resent_history_once(http: httpx.Client, model: ScriptedModel, anna: Person) -> None:
    know(anna.profile_id, "dog.name", "Pixel")
    know(anna.profile_id, "home.city", "Namur")
    history: list[Any] = []
    echoed: list[Any] = []
    ids = set()
    for number, line in enumerate(LINES, 1):
        model.reply(f"Answer {number}.")
        system = [{"role": "system", "content": KESTREL}, *(echoed if number >= 3 else [])]
        history.append(user(line))
        answer = http.post("/v1/chat/completions", json={"model": "m", "messages": [*system, *history]})
        ids.add(answer.headers["x-caesar-conversation-id"])
        history.append(answer.json()["choices"][0]["message"])
        echoed = [m for m in model.requests[-1].messages if m["role"] == "system" and "Namur" in m["content"]][:1]
    assert kept("user") == LINES
    assert kept("assistant") == []
    assert [r.payload["answer"]["text"] for r in rows()] == [f"Answer {n}." for n in range(1, 13)]
    assert len(ids) == 1
    everything = str([r.payload for r in rows()])
    assert "Kestrel" not in everything
    assert "Namur" not in everything


def test_it_goes_on_after_an_answer_that_the_client_shows_in_part(http: httpx.Client, model: ScriptedModel) -> None:
    model.script(["Aye.", "A whole answer, of which the client shows a part.", "On it goes."])
    history = [user("My boat is Sirocco.")]
    http.post("/v1/chat/completions", json={"messages": history})
    history += [{"role": "assistant", "content": " Aye. "}, user("Where is she?")]
    http.post("/v1/chat/completions", json={"messages": history})
    history += [{"role": "assistant", "content": "A whole"}, user("Go on.")]
    http.post("/v1/chat/completions", json={"messages": history})
    assert kept("user") == ["My boat is Sirocco.", "Where is she?", "Go on."]
    assert len({r.conversation_id for r in rows()}) == 1


def test_it_starts_a_new_conversation_for_a_new_beginning(http: httpx.Client, model: ScriptedModel) -> None:
    for _ in range(2):
        http.post("/v1/chat/completions", json={"messages": [user("hi")]})
    one, two = rows()
    assert one.conversation_id != two.conversation_id


def test_it_answers_a_request_that_is_sent_twice_at_once_and_takes_it_for_one_saying(
    http: httpx.Client, model: ScriptedModel
) -> None:
    model.reply(Text("Noted.", delay=0.5))
    asked = {"messages": [user("My boat is Sirocco.")]}
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(http.post, "/v1/chat/completions", json=asked | {"stream": s}) for s in (False, True)]
        assert [answer.result().status_code for answer in answers] == [200, 200]
    assert len(model.requests) == 2
    assert sorted(m.get("known", False) for r in rows() for m in r.payload["messages"]) == [False, True]


def test_what_was_said_later_has_a_later_time(http: httpx.Client, model: ScriptedModel) -> None:
    for number in range(5):
        http.post("/v1/chat", json={"messages": [user(f"Line {number}")]})
    times = [r.said_at for r in rows() if r.said_at]
    assert times == sorted(set(times))
    assert len(times) == 5
