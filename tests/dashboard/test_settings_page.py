"""/dashboard/settings: keys, models, sentences, and the end of a profile."""

import asyncio
import re

import pytest
from django.contrib.auth.models import User

from memory import apikeys, profiles
from memory.config import LLM, Semantic
from memory.db import operator_scope, profile_scope
from memory.models import AuditLog, Profile
from tests.dashboard.test_facts import HOSTILE
from tests.scripted_model import ScriptedModel, Status


def operator(visitor):
    User.objects.filter(id=visitor.who.user_id).update(is_superuser=True, is_staff=True)


@pytest.fixture
def model(settings):
    """A model that the settings name."""
    with ScriptedModel() as scripted:
        llm = LLM(provider="openai", model="small-1", openai={"base_url": scripted.url, "api_key": "very-secret-key"})
        settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm})
        yield scripted


def test_a_key_is_made_shown_once_and_revoked(anna):
    response = anna.post("/dashboard/settings/keys", {"name": "phone", "profile": ""})
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    (secret,) = re.findall(r"caesar_[\w-]{40,}", response.content.decode())
    assert apikeys.authenticate(secret).profile_id is None
    text = anna.page("/dashboard/settings").text
    assert secret not in text
    assert "phone" in text
    assert "last used" in text
    key = next(key for key in apikeys.all_of(anna.who.user_id) if key.name == "phone")
    assert anna.post(f"/dashboard/settings/keys/{key.id}/revoke").status_code == 303
    assert apikeys.authenticate(secret) is None
    assert "revoked" in anna.page("/dashboard/settings").text


def test_a_key_can_be_bound_to_a_profile_of_ones_own_alone(anna, bert):
    response = anna.post("/dashboard/settings/keys", {"name": "lamp", "profile": str(anna.who.profile_id)})
    (secret,) = re.findall(r"caesar_[\w-]{40,}", response.content.decode())
    assert apikeys.authenticate(secret).profile_id == anna.who.profile_id
    for wrong in (str(bert.who.profile_id), "x"):
        assert anna.post("/dashboard/settings/keys", {"name": "lamp", "profile": wrong}).status_code == 404
    key = apikeys.all_of(anna.who.user_id)[0]
    assert bert.post(f"/dashboard/settings/keys/{key.id}/revoke").status_code == 404
    assert key.revoked_at is None
    assert "lamp" not in bert.page("/dashboard/settings").text


@pytest.mark.parametrize("name", ["", "\0", "x" * 500, *HOSTILE], ids=range(len(HOSTILE) + 3))
def test_a_key_may_be_called_anything(anna, name):
    before = anna.post("/dashboard/settings/keys", {"name": "harmless"})
    response = anna.post("/dashboard/settings/keys", {"name": name})
    assert response.status_code == 200
    assert response.content.count(b"<script") == before.content.count(b"<script")
    assert b"<img" not in response.content


def test_models_are_the_operators_business(anna, model):
    assert "Test this model" not in anna.page("/dashboard/settings").text
    assert anna.post("/dashboard/settings/models/chat").status_code == 404
    operator(anna)
    text = anna.page("/dashboard/settings").text
    assert "openai/small-1" in text
    assert "Learning facts" in text
    assert anna.post("/dashboard/settings/models/nonsense").status_code == 404


def test_it_shows_what_a_model_answers(anna, model):
    operator(anna)
    model.reply("I am <b>ready</b>!")
    text = " ".join(anna.post("/dashboard/settings/models/memory_extract").content.decode().split())
    assert "it answered after" in text
    assert "I am &lt;b&gt;ready&lt;/b&gt;!" in text
    assert "Answer with the single word: ready" in text


def test_it_shows_what_is_wrong_with_a_model(anna, model):
    operator(anna)
    model.reply(Status(401, "very-secret-key is wrong"))
    response = anna.post("/dashboard/settings/models/chat")
    assert response.status_code == 200
    assert b'class="problem" id="tried"' in response.content
    assert b"very-secret-key" not in response.content


def embeds(settings, url):
    semantic = Semantic(provider="openai", model="small-embedder", embedding_dim=8)
    llm = LLM(openai={"base_url": url, "api_key": "very-secret-key"})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": semantic, "llm": llm})


def test_it_shows_what_the_embedder_answers(anna, model, settings):
    operator(anna)
    embeds(settings, model.url)
    assert "openai/small-embedder" in anna.page("/dashboard/settings").text
    text = " ".join(anna.post("/dashboard/settings/models/embed").content.decode().split())
    assert "it answered after" in text
    assert "8 numbers: " in text


def test_it_shows_what_is_wrong_with_an_embedder(anna, settings):
    operator(anna)
    embeds(settings, "http://127.0.0.1:1/v1")
    response = anna.post("/dashboard/settings/models/embed")
    assert response.status_code == 200
    assert b'class="problem" id="tried"' in response.content
    assert b"very-secret-key" not in response.content


def test_without_a_model_there_is_none_to_test(anna):
    operator(anna)
    page = anna.page("/dashboard/settings")
    assert "no language model" in page.text
    tested = [
        attrs["action"] for tag, attrs in page.elements if tag == "form" and "/models/" in (attrs.get("action") or "")
    ]
    assert tested == ["/dashboard/settings/models/embed#models"]
    assert "No language model is set" in anna.post("/dashboard/settings/models/chat").content.decode()


def test_it_shows_the_sentences(anna):
    text = anna.page("/dashboard/settings").text
    assert "Your name is {value}." in text
    assert "preference.*" in text


@pytest.mark.parametrize(("form", "kind"), [("jsonl", "x-ndjson"), ("markdown", "markdown"), ("csv", "csv")])
def test_it_gives_everything_along_as_a_file(anna, form, kind):
    anna.knows("city", "Oslo")
    response = anna.post("/dashboard/settings/export", {"form": form})
    assert response.status_code == 200
    assert kind in response["Content-Type"]
    assert response["Content-Disposition"].startswith('attachment; filename="caesar-')
    assert "no-store" in response["Cache-Control"]
    content = asyncio.run(whole(response))
    assert b"Oslo" in content
    with profile_scope(anna.who.profile_id):
        assert AuditLog.objects.filter(event_type="memory.exported").count() == 1
    assert "Everything was exported" in anna.page("/dashboard/audit").text


async def whole(response):
    return b"".join([piece async for piece in response.streaming_content])


@pytest.mark.parametrize("typed", [{}, {"form": "nonsense"}, {"form": "\0"}])
def test_it_exports_nothing_for_nonsense(anna, typed):
    assert anna.post("/dashboard/settings/export", typed).status_code == 303
    assert "Choose what the file is for." in anna.page("/dashboard/settings").text
    with profile_scope(anna.who.profile_id):
        assert not AuditLog.objects.filter(event_type="memory.exported").exists()


def test_it_erases_a_profile_for_who_types_its_name(anna):
    house = profiles.resolve(user_id=anna.who.user_id, name="house", consent=True)
    anna.knows("city", "Oslo")
    anna.post("/dashboard/profile", {"profile": str(house.id)})
    assert "Type its name" in anna.page("/dashboard/settings/erase").text
    for wrong in ("", "House", "default", "house \0"):
        response = anna.post("/dashboard/settings/erase", {"confirm": wrong})
        assert response.status_code == 400
        assert b"nothing was erased" in response.content
    assert anna.post("/dashboard/settings/erase", {"confirm": "house"}).status_code == 303
    page = anna.page("/dashboard/facts")
    assert "Erased:" in page.text
    assert "Oslo" in page.text
    with operator_scope():
        assert list(Profile.objects.filter(user_id=anna.who.user_id).values_list("name", flat=True)) == ["default"]
