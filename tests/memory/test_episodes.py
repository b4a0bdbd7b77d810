"""Deleting a summary, and writing all of them anew."""

from __future__ import annotations

import pytest

from memory import episodes as verbs
from memory import operations, prune, reprocess, work
from memory.db import operator_scope, profile_scope
from memory.errors import Conflict, NotFound
from memory.models import AuditLog, EmbedQueue, EpisodeSummary
from tests.memory.summaries import ends, episodes, items, reply, told, while_it_is_read
from tests.memory.test_deleting import everything
from tests.memory.test_extract import held
from tests.memory.test_summarise import DOG, say
from tests.people import Person, person
from tests.scripted_model import Text
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def delete(who: Person, episode: EpisodeSummary) -> None:
    verbs.delete(profile_id=who.profile_id, episode_id=episode.id)


def test_a_deleted_summary_is_gone_everywhere(anna, model, database):
    model.extraction([reply("Of zanzibar.", decisions=["Zanzibar it is"]), reply("Of zanzibar and tea.")])
    for text in ("I plan a journey, far away.", "I like tea, too."):
        say(anna, text)
        tasks.drain()
    (episode,) = episodes(anna)
    delete(anna, episode)
    assert episodes(anna) == []
    assert "zanzibar" not in everything(database).casefold()
    (row,) = told(anna, "deleted")
    assert row == {"episode_id": str(episode.id), "source_audit_ids": episode.source_audit_ids}
    assert [payload["episode_id"] for payload in told(anna, "summarised")] == [str(episode.id)] * 2
    with operator_scope():
        assert not EmbedQueue.objects.filter(owner_id=episode.id).exists()
    with pytest.raises(NotFound):
        delete(anna, episode)


def test_nobody_else_can_delete_it(anna, model):
    bert = person("bert")
    model.extraction(reply("Of tea."))
    say(anna, "I like tea in the morning.")
    tasks.drain()
    (episode,) = episodes(anna)
    with pytest.raises(NotFound):
        delete(bert, episode)
    assert len(episodes(anna)) == 1


def test_it_does_not_come_back_from_what_was_said_before(anna, model):
    model.extraction(reply("Of zanzibar.", facts=(DOG,)))
    say(anna, "My dog's name is Beans, I say.")
    tasks.drain()
    say(anna, "I plan a journey, far away.")  # waits, and is not even an item yet
    (episode,) = episodes(anna)
    delete(anna, episode)
    for item in items("summarise"):
        work.retry_item(profile_id=anna.profile_id, item_id=item.id)
    reprocess.summaries()
    tasks.drain()
    assert episodes(anna) == []
    assert {state for state, _ in ends("summarise")} == {"cancelled"}
    assert {state for state, _ in ends("extract")} == {"done"}
    assert held(anna) == [("dog.name", "Beans")]


def test_newer_turns_make_a_new_one_of_themselves_alone(anna, model):
    model.extraction([reply("Of zanzibar."), reply("Of tea.")])
    say(anna, "I plan a journey to Zanzibar.")
    tasks.drain()
    (old,) = episodes(anna)
    delete(anna, old)
    audit_id = say(anna, "I like tea in the morning.")
    tasks.drain()
    (new,) = episodes(anna)
    assert (new.summary, new.source_audit_ids) == ("Of tea.", [audit_id])
    assert new.id != old.id
    asked = [r for r in model.requests[1:] if "summary" in r.text.split("Wanted: ")[1].split("\n")[0]]
    assert "anzibar" not in "".join(r.text for r in asked if "summary only" in r.text)


def test_it_does_not_come_back_from_a_reading_under_way(anna, model):
    model.extraction(reply("Of tea."))
    say(anna, "I like tea in the morning.")
    tasks.drain()
    (episode,) = episodes(anna)
    model.reset()
    model.extraction(Text(reply("Of tea and rice.", facts=(DOG,)), delay=0.5))
    say(anna, "My dog's name is Beans, and I like rice.")
    with while_it_is_read(model):
        delete(anna, episode)
    assert episodes(anna) == []
    assert held(anna) == [("dog.name", "Beans")]
    assert ends("summarise")[-1] == ("cancelled", "its summary was deleted")


def test_a_pruned_conversation_takes_its_summary_along(anna, model):
    model.extraction(reply("Of tea."))
    say(anna, "I like tea in the morning.")
    say(anna, "I like rice.", conversation_id="other")
    tasks.drain()
    assert len(episodes(anna)) == 2
    prune.prune(profile_id=anna.profile_id, conversation_id="thread")
    (left,) = episodes(anna)
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.get(id=left.source_audit_ids[0]).conversation.public_id == "other"


def test_all_summaries_are_written_anew(anna, model):
    model.extraction(reply("Of tea."))
    for n in range(3):
        say(anna, f"I like tea number {n}.", conversation_id=f"c{n % 2}")
        tasks.drain()
    before = {episode.id for episode in episodes(anna)}
    calls = len(model.requests)
    model.extraction(reply("Of tea, anew."))
    again = reprocess.summaries()
    assert (again.episodes, again.items) == (2, 3)
    assert episodes(anna) == []
    assert [row["why"] for row in told(anna, "deleted")] == ["rebuilt"] * 2
    tasks.drain()
    assert [episode.summary for episode in episodes(anna)] == ["Of tea, anew."] * 2
    assert before.isdisjoint(episode.id for episode in episodes(anna))
    assert len(model.requests) - calls == 2
    assert "Summary so far" not in model.requests[-1].text


def test_a_summary_whose_chats_may_not_be_read_any_more_is_left_as_it_is(anna, model):
    from memory import profiles

    model.extraction(reply("Of tea."))
    say(anna, "I like tea in the morning.")
    tasks.drain()
    profiles.update(profile_id=anna.profile_id, changes={"summaries_enabled": False})
    again = reprocess.summaries()
    assert (again.episodes, again.items) == (0, 0)
    assert [episode.summary for episode in episodes(anna)] == ["Of tea."]


def test_nothing_is_deleted_that_nobody_would_write_anew(anna, model, settings):
    model.extraction(reply("Of tea."))
    say(anna, "I like tea in the morning.")
    tasks.drain()
    settings.CAESAR.memory.episodes_summarise.enabled = False
    try:
        with pytest.raises(Conflict, match="switched off"):
            reprocess.summaries()
    finally:
        settings.CAESAR.memory.episodes_summarise.enabled = True
    assert len(episodes(anna)) == 1


def test_a_range_of_chats_is_read_again_and_nothing_is_doubled(anna, model):
    model.extraction(reply("Of a dog.", facts=(DOG,)))
    ids = [say(anna, f"My dog's name is Beans, number {n}.", conversation_id=f"c{n}") for n in range(3)]
    tasks.drain()
    calls = len(model.requests)
    again = reprocess.chats(first=ids[1], last=ids[2])
    assert (again.items, again.episodes) == (4, 0)
    tasks.drain()
    assert held(anna) == [("dog.name", "Beans")]
    assert len(episodes(anna)) == 3
    assert {item.state for kind in ("extract", "summarise") for item in items(kind)} == {"done"}
    assert "number 0" not in "".join(r.text for r in model.requests[calls:])
    assert operations.work_counts()["extract", "waiting"] == 0
