"""What of a chat is embedded and found again: its words and no picture, whoever commits first, NUL or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from memory import passages
from memory.db import profile_scope
from memory.models import AuditLog, Passage
from tests.cases.conftest import DIM, Someone, World
from tests.scripted_model import Vectors

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

LONGEST = 4_000  # characters of a text that an embedder is given
PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 190_000


def embedded(who: Someone) -> list[str]:
    return [text for request in who.world.model.embeddings for text in request.inputs]


def test_it_asks_for_the_last_words_and_embeds_no_picture(recalling: World):
    yann = recalling.someone("yann")
    found = {
        "facts": [
            {"key": "boat.name", "value": "Sirocco", "confidence": 0.95},
            {"key": "boat.mooring", "value": "Brest", "confidence": 0.95},
        ],
        "summary": "Yann's boat Sirocco is moored in Brest.",
    }
    parts: list[Any] = [
        {"type": "text", "text": "For context:"},
        {"type": "text", "text": " this is my boat Sirocco, moored in Brest."},
        {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "x_future", "x": 1},
    ]
    messages: list[Any] = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": "Where is my boat?"}]},
    ]
    recalling.model.extraction(json.dumps(found))
    answer = yann.http.post("/v1/chat/completions", json={"model": "m", "messages": messages})
    assert answer.status_code == 200
    assert embedded(yann) == ["Where is my boat?"]
    recalling.work()
    assert yann.held() == {"boat.name": "Sirocco", "boat.mooring": "Brest"}
    (reading,) = recalling.model.extractions
    assert "Sirocco, moored in Brest" in reading.text
    assert len(reading.text) < 50_000
    assert max(map(len, embedded(yann))) <= LONGEST
    assert not [text for text in embedded(yann) if "iVBOR" in text or "UklGR" in text]
    assert "Sirocco" in json.dumps(yann.recall("Where is my boat?", kinds=["passages"]))


def test_a_long_question_is_embedded_by_its_beginning(recalling: World):
    yann = recalling.someone("yann")
    yann.chat("Where is the boat? " + "I wonder. " * 20_000)
    yann.recall("Where is the boat? " + "I wonder. " * 6_000)
    assert max(map(len, embedded(yann))) <= LONGEST


def test_a_nul_is_found_around(recalling: World, database: Postgres):
    hiro = recalling.someone("hiro")
    found = {
        "facts": [{"key": "office_city", "value": "Kobe", "confidence": 0.9}],
        "summary": "Office \u0000 talk about Kobe",
    }
    hiro.told(json.dumps(found), "pasted from PDF: o\u0000ce hours 9-17, my office is in Kobe")
    assert hiro.http.post("/v1/recall", json={"query": "\u0000"}).status_code in (200, 400)
    results = hiro.recall("Kobe\u0000")
    assert {one["kind"] for one in results if "Kobe" in one["text"]} == {"fact", "episode", "passage"}
    assert "\\u0000" not in json.dumps(results)
    with psycopg.connect(database.url("superuser")) as session:
        rows = session.execute("SELECT text FROM passages UNION SELECT summary FROM episode_summaries").fetchall()
    assert rows
    assert not [text for (text,) in rows if "\0" in text]


@pytest.mark.parametrize("times", [5])
def test_no_chat_is_passed_over_that_commits_late(recalling: World, database: Postgres, times: int):
    """A chat with an earlier number is still being written while later ones are cut up."""
    iris = recalling.someone("iris")
    recalling.model.embedding(Vectors(constant=[1.0] + [0.0] * (DIM - 1)))
    for n in range(times):
        with psycopg.connect(database.url("superuser")) as late:
            held = late.execute("SELECT nextval(pg_get_serial_sequence('audit_log', 'id'))").fetchone()
            assert held is not None
            late.execute(COPY, {"id": held[0], "text": f"The late boat number {n} lies in Brest.", **_like(iris, n)})
            iris.chat(f"The early boat number {n} lies in Brest.", conversation_id=f"early {n}")
            for _ in range(3):
                passages.index_due()
        for _ in range(3):
            passages.index_due()
    with profile_scope(iris.who.profile_id):
        texts = sorted(Passage.objects.filter(role="user").values_list("text", flat=True))
        assert len(set(texts)) == len(texts)
    assert len([text for text in texts if "late" in text]) == times
    assert len([text for text in texts if "early" in text]) == times


COPY = """
INSERT INTO audit_log (id, profile_id, event_type, actor, conversation_id, space_id, said_at, mine_facts, mine_summary,
                       payload)
SELECT %(id)s, profile_id, event_type, actor, conversation_id, space_id, clock_timestamp(), true, true,
       jsonb_build_object('messages', jsonb_build_array(jsonb_build_object('role', 'user', 'text', %(text)s::text)))
  FROM audit_log WHERE id = %(like)s"""


def _like(who: Someone, n: int) -> dict[str, Any]:
    """A chat that is there already, after which a row of the log is made."""
    who.chat(f"Hello for the {n}th time.", conversation_id=f"like {n}")
    with profile_scope(who.who.profile_id):
        return {"like": AuditLog.objects.filter(event_type="chat.completed").latest("id").pk}
