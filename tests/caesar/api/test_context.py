"""POST /v1/context."""

import pytest

from memory import chats
from tests.caesar.api.told import tell


def test_it_shows_exactly_what_a_chat_is_given(anna):
    made = anna.author("dog.name", "Beans")
    shown = anna.post("/v1/context", {"query": "What does my dog eat?"}).json()
    turn = chats.begin(profile_id=anna.who.profile_id, messages=[{"role": "user", "content": "What does my dog eat?"}])
    assert shown["block"] == turn.recalled.block
    assert "Beans" in shown["block"]
    assert shown["facts"] == [{"id": made["id"], "text": made["text"]}]
    assert shown["episodes"] == []


def test_it_gives_nothing_where_memory_is_off(anna):
    anna.author("dog.name", "Beans")
    anna.post("/v1/spaces", {"slug": "quiet", "memory_enabled": False})
    nothing = {"block": "", "facts": [], "episodes": []}
    assert anna.post("/v1/context", {"space": "quiet"}).json() == nothing
    anna.patch("/v1/profile", {"memory_enabled": False})
    assert anna.post("/v1/context").json() == nothing


def test_it_gives_a_space_its_own_facts_and_those_of_everywhere(anna):
    anna.post("/v1/spaces", {"slug": "work"})
    anna.author("office.city", "Kobe", space="work")
    anna.author("dog.name", "Beans")
    assert "Kobe" in anna.post("/v1/context", {"space": "work"}).json()["block"]
    general = anna.post("/v1/context", {}).json()["block"]
    assert "Beans" in general
    assert "Kobe" not in general


def test_it_keeps_to_the_characters_that_are_asked_for(anna):
    for number in range(30):
        anna.author(None, f"thing number {number} is remarkable")
    for most in (0, 50, 400, 1000):
        assert len(anna.post("/v1/context", {"max_chars": most}).json()["block"]) <= most


def test_it_leaves_no_trace(anna):
    tell(anna, "I like tea.")
    anna.author("dog.name", "Beans")
    before = anna.get("/v1/audit").json()["results"]
    anna.post("/v1/context", {"query": "My name is Anna."})
    assert anna.get("/v1/audit").json()["results"] == before
    assert anna.get("/v1/facts").json()["results"][0]["last_used_at"] is None


@pytest.mark.parametrize(
    "body",
    [{"query": 5}, {"query": ["x"]}, {"space": 5}, {"max_chars": "9"}, {"max_chars": -1}, {"max_chars": True},
     {"max_chars": 1.5}, {"q": "x"}, {"user": "anna"}, {"query": "x" * 70_000}],
)  # fmt: skip
def test_it_refuses_what_makes_no_sense(anna, body):
    assert anna.post("/v1/context", body).status_code == 400


def test_it_has_no_space_that_was_not_made(anna):
    assert anna.post("/v1/context", {"space": "nowhere\u0000"}).status_code == 404
