"""POST /dashboard/chat/completions: the chat for who is logged in, and for nobody else."""

from contextlib import ExitStack

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import facts, profiles
from memory.db import profile_scope
from memory.models import AuditLog
from tests.people import person
from tests.scripted_model.replies import Hang, HangUp, Status

PATH = "/dashboard/chat/completions"
MESSAGE = {"messages": [{"role": "user", "content": "What is my dog called?"}]}


@pytest.fixture
def anna(web):
    return person("anna")


@pytest.fixture
def browser(web):
    """Opens clients with cookies and token as a page of ours has them."""
    with ExitStack() as opened:
        yield lambda who, **session: opened.enter_context(logged_in(web, who, session))


def logged_in(web, who, session):
    client = Client()
    client.force_login(User.objects.get(id=who.user_id))
    if session:
        stored = client.session
        stored.update(session)
        stored.save()
    cookies = {"sessionid": client.cookies["sessionid"].value}
    page = httpx.get(web.url + "/dashboard/chat", cookies=cookies)
    token = page.cookies["csrftoken"]
    return httpx.Client(
        base_url=web.url, cookies={**cookies, "csrftoken": token}, headers={"x-csrftoken": token}, timeout=60
    )


def chats(who):
    with profile_scope(who.profile_id):
        return list(AuditLog.objects.filter(event_type="chat.completed").order_by("id"))


def test_it_answers_with_what_memory_has(browser, anna, model):
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    model.reply("Beans.")
    answered = browser(anna).post(PATH, json=MESSAGE)
    assert answered.status_code == 200, answered.text
    assert answered.json()["choices"][0]["message"]["content"] == "Beans."
    assert "Your dog's name is Beans." in model.chats[0].text
    (row,) = chats(anna)
    assert answered.headers["x-caesar-audit-id"] == str(row.id)
    assert list(row.payload["asked_for"]) == row.payload["facts"]


def test_it_streams(browser, anna, model):
    model.reply("It is Beans.")
    with browser(anna).stream("POST", PATH, json={**MESSAGE, "stream": True}) as answered:
        assert answered.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answered.iter_lines() if line]
    assert len(lines) > 3
    assert lines[-1] == "data: [DONE]"
    assert chats(anna)[0].payload["streamed"]


@pytest.mark.parametrize("without", ["token", "cookie", "origin", "wrong token"])
def test_a_request_that_another_site_could_make_is_refused(browser, anna, model, without):
    ours = browser(anna)
    if without == "token":
        del ours.headers["x-csrftoken"]
    elif without == "wrong token":
        ours.headers["x-csrftoken"] = "a" * 64
    elif without == "cookie":
        ours.cookies.delete("csrftoken")
    else:
        ours.headers["origin"] = "https://evil.example"
    for kind in ("application/json", "text/plain", "multipart/form-data; boundary=x"):
        refused = ours.post(PATH, content=b'{"messages": []}', headers={"content-type": kind})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    assert model.chats == []
    assert chats(anna) == []


def test_nobody_logged_in_gets_nothing(browser, anna, model):
    ours = browser(anna)
    ours.cookies.delete("sessionid")
    refused = ours.post(PATH, json=MESSAGE)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorized")
    assert "logged out" in refused.json()["error"]["message"]
    ours.headers["authorization"] = f"Bearer {anna.key}"
    assert ours.post(PATH, json=MESSAGE).status_code == 401  # a key is for the other door
    assert model.chats == []


def test_a_session_does_not_open_the_door_for_programs(browser, anna):
    assert browser(anna).post("/v1/chat/completions", json=MESSAGE).status_code == 401


def test_it_is_about_the_profile_that_is_looked_at_and_no_other(browser, anna, model):
    bert = person("bert")
    other = profiles.resolve(user_id=anna.user_id, name="house", consent=True)
    ours = browser(anna, profile=str(other.id))
    ours.headers["x-caesar-profile"] = "bert"
    model.reply("ok")
    for said in ({**MESSAGE, "user": "bert"}, {**MESSAGE, "user": "default"}):
        assert ours.post(PATH, json=said).status_code == 200
    with profile_scope(other.id):
        assert AuditLog.objects.filter(event_type="chat.completed").count() == 2
    assert chats(anna) == chats(bert) == []
    theirs = browser(bert, profile=str(anna.profile_id))
    assert theirs.post(PATH, json=MESSAGE).status_code == 200
    assert (len(chats(anna)), len(chats(bert))) == (0, 1)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'{"messages": []}', 400),
        (b'{"messages": "x"}', 400),
        (b'{"messages": [{"role": "user", "content": 5}]}', 400),
        (b'{"messages": [{"role": "user", "content": "x"}], "caesar": {"space": "attic"}}', 404),
        (b'{"messages": [{"role": "user", "content": "x"}], "caesar": {"memory": "maybe"}}', 400),
        (b"\xff\xfe", 400),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(browser, anna, model, sent, status):
    refused = browser(anna).post(PATH, content=sent)
    assert refused.status_code == status
    assert refused.json()["error"]["message"]
    assert model.chats == []


@pytest.mark.parametrize(("reply", "status"), [(Status(429), 429), (HangUp(), 502), (Status(500), 502)])
def test_what_fails_at_the_model_is_told(browser, anna, model, reply, status):
    model.reply(reply)
    failed = browser(anna).post(PATH, json={**MESSAGE, "stream": True})
    assert failed.status_code == status
    assert failed.json()["error"]["message"].startswith("The model openai/scripted-1 ")
    assert chats(anna) == []


def test_it_takes_post_alone(browser, anna):
    assert browser(anna).get(PATH).status_code == 405


def test_who_leaves_costs_nothing_more(browser, anna, model):
    model.reply(Hang())
    with pytest.raises(httpx.ReadTimeout):
        browser(anna).post(PATH, json=MESSAGE, timeout=0.7)
    model.wait_for(lambda each: each.open_answers == 0)
    assert chats(anna) == []
