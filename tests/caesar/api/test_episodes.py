"""GET /v1/episodes and DELETE /v1/episodes/{id}."""

from __future__ import annotations

import pytest

from memory import episodes, spaces
from memory.db import profile_scope
from memory.domain.summary import Summary
from memory.models import AuditLog, Conversation, EpisodeSummary
from tests.caesar.api.told import tell

NOBODYS = "0190aaaa-0000-7000-8000-000000000000"


def summarised(api, text, *, conversation_id="thread", space=None, **details):
    """A conversation with a summary, as a worker would have written it."""
    audit_id = tell(api, f"I said something about {conversation_id}.", conversation_id=conversation_id, space=space)
    with profile_scope(api.who.profile_id):
        chat = AuditLog.objects.get(id=audit_id)
        written = episodes.write(
            profile_id=api.who.profile_id,
            conversation_id=chat.conversation_id,
            space_id=chat.space_id,
            summary=Summary(text, details),
            replaces=None,
            audit_ids=[audit_id],
            said_at=chat.said_at,
            prompt_version="extract.v1",
            model="m",
        )
        assert written
        return EpisodeSummary.objects.get(conversation_id=chat.conversation_id)


def listed(api, query=""):
    response = api.get(f"/v1/episodes{query}")
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_it_lists_what_conversations_were_about(anna, bert):
    first = summarised(anna, "Of tea.", conversation_id="a", decisions=["Buy tea"])
    summarised(anna, "Of rice.", conversation_id="b")
    newest, oldest = listed(anna)
    assert newest["summary"] == "Of rice."
    assert oldest == {
        "id": str(first.id),
        "conversation_id": "a",
        "space": "general",
        "summary": "Of tea.",
        "decisions": ["Buy tea"],
        "open_questions": [],
        "people": [],
        "said_at": oldest["said_at"],
        "recall_count": 0,
        "last_recalled_at": None,
        "source_audit_ids": [str(first.source_audit_ids[0])],
        "model": "m",
        "prompt_version": "extract.v1",
        "created_at": oldest["created_at"],
        "updated_at": oldest["updated_at"],
    }
    assert oldest["said_at"] < oldest["created_at"]
    assert listed(bert) == []


def test_it_lists_in_pages(anna):
    for n in range(5):
        summarised(anna, f"Of number {n}.", conversation_id=f"c{n}")
    page = anna.get("/v1/episodes?page_size=2").json()
    assert [row["summary"] for row in page["results"]] == ["Of number 4.", "Of number 3."]
    page = anna.get(page["next"].replace("http://testserver", "")).json()
    assert [row["summary"] for row in page["results"]] == ["Of number 2.", "Of number 1."]


def test_it_narrows_by_space_and_text(anna):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work"})
    summarised(anna, "Of a desk.", conversation_id="a", space="work")
    summarised(anna, "Of tea at home.", conversation_id="b")
    assert [row["summary"] for row in listed(anna, "?space=work")] == ["Of a desk."]
    assert [row["summary"] for row in listed(anna, "?q=TEA")] == ["Of tea at home."]
    assert listed(anna, "?q=desk%00tea") == []
    assert listed(anna, "?space=nowhere") == []


@pytest.mark.parametrize("query", ["?cursor=x", "?spaces=work", "?page_size=0", "?q=a&q=b"])
def test_it_says_what_is_wrong(anna, query):
    response = anna.get(f"/v1/episodes{query}")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_input"


def test_it_deletes_one(anna, bert):
    episode = summarised(anna, "Of tea.")
    assert bert.delete(f"/v1/episodes/{episode.id}").status_code == 404
    assert len(listed(anna)) == 1
    gone = anna.delete(f"/v1/episodes/{episode.id}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert listed(anna) == []
    (row,) = anna.get("/v1/audit?event_type=memory.episode.deleted").json()["results"]
    assert (row["actor"], row["payload"]["episode_id"]) == ("person", str(episode.id))
    (told,) = anna.get("/v1/audit?event_type=memory.episode.summarised").json()["results"]
    assert "tea" not in str(told)
    assert anna.delete(f"/v1/episodes/{episode.id}").status_code == 404
    with profile_scope(anna.who.profile_id):
        assert Conversation.objects.count() == 1


@pytest.mark.parametrize("episode_id", [NOBODYS, "x", "%00", "1"])
def test_it_has_no_episode_of_another_name(anna, episode_id):
    response = anna.delete(f"/v1/episodes/{episode_id}")
    assert response.status_code == 404
    assert response.json() == {"error": {"code": "not_found", "message": "There is no such episode."}}
