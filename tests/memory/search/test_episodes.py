"""Past conversations come up where they fit, count how often, and never state what has been corrected since."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from memory import chats, facts, finding, profiles, prune, spaces
from memory.db import profile_scope
from memory.models import AuditLog, Conversation, EpisodeSummary, Fact, FactSource, Passage
from tests.memory.saying import tell
from tests.memory.search.conftest import general
from tests.people import Person, person
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database", "embedder")
HEAT = "We discussed switching to a heat pump; the install date is the 14th and the rebate papers are in the cabinet."
ASKED = "What were we doing about the heat pump install?"


def discussed(
    who: Person, summary: str, *, days: float = 3, taught: Fact | None = None, space: str | None = None
) -> Any:
    """A conversation some days ago with its summary, which taught a fact."""
    at = datetime.now(UTC) - timedelta(days=days)
    turn = chats.begin(
        profile_id=who.profile_id, messages=[{"role": "user", "content": summary}], memory_on=True, space=space
    )
    audit_id = chats.finish(turn, chats.Answer(text="Noted."))
    with profile_scope(who.profile_id):
        row = AuditLog.objects.get(id=audit_id)
        if taught is not None:
            FactSource.objects.create(profile_id=who.profile_id, fact=taught, audit_id=audit_id)
        episode = EpisodeSummary.objects.create(
            profile_id=who.profile_id,
            space_id=row.space_id,
            conversation_id=row.conversation_id,
            summary=summary,
            source_audit_ids=[audit_id],
            said_at=at,
        )
    worker.drain()
    return episode


def ask(who: Person, question: str = ASKED, **options: Any) -> chats.Turn:
    return chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": question}], **options)


def answered(who: Person, question: str = ASKED) -> int:
    return chats.finish(ask(who, question), chats.Answer(text="So it was."))


def count(who: Person) -> int:
    with profile_scope(who.profile_id):
        return EpisodeSummary.objects.get().recall_count


def test_it_brings_up_what_fits_with_how_long_ago(anna):
    discussed(anna, HEAT)
    discussed(anna, "The person asked about packing for Portugal; layered clothing was recommended.", days=8)
    turn = ask(anna)
    assert "Possibly relevant past conversations:" in turn.recalled.block
    assert f"3 days ago: {HEAT}" in turn.recalled.block
    assert "Portugal" not in turn.recalled.block


def test_it_counts_and_logs_each_time_with_the_scores(anna):
    episode = discussed(anna, HEAT)
    audit_id = answered(anna)
    assert count(anna) == 1
    with profile_scope(anna.profile_id):
        row = AuditLog.objects.get(event_type="memory.episode.recalled")
        given = AuditLog.objects.get(id=audit_id).payload["episodes"]
    assert given == [str(episode.id)]
    assert row.payload["episode_id"] == str(episode.id)
    assert row.payload["chat_audit_id"] == audit_id
    assert row.payload["score"] >= 0.45
    product = row.payload["semantic"] * row.payload["freshness"] * row.payload["recall_weight"]
    assert row.payload["score"] == pytest.approx(product, abs=0.001)
    assert row.payload["freshness"] == pytest.approx(0.9048, abs=0.001)


def test_two_chats_at_once_both_count(anna):
    discussed(anna, HEAT)

    def one() -> None:
        try:
            answered(anna)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count(anna) == 6


@pytest.mark.parametrize(("days", "there"), [(3, True), (60, False), (91, False)])
def test_old_ones_fade(anna, days, there):
    discussed(anna, HEAT, days=days)
    assert ("heat pump" in ask(anna).recalled.block) is there


def test_it_stays_in_its_space_and_with_its_person(anna):
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    discussed(anna, HEAT, space="work")
    assert ask(anna).recalled.episodes == ()
    assert len(ask(anna, space="work").recalled.episodes) == 1
    bert = person("bert")
    assert ask(bert).recalled.episodes == ()


def test_off_the_record_and_without_consent_nothing_comes_up(anna):
    discussed(anna, HEAT)
    assert ask(anna, memory_on=False).recalled.block == ""
    profiles.update(profile_id=anna.profile_id, changes={"summaries_enabled": False})
    assert ask(anna).recalled.episodes == ()


def test_what_has_changed_since_is_marked(anna):
    fact = tell(anna, "heating.install_date", "the 14th")
    discussed(anna, HEAT, taught=fact)
    assert "(since changed)" not in ask(anna).recalled.block
    tell(anna, "heating.install_date", "the 21st")
    recalled = ask(anna).recalled
    assert f"3 days ago (since changed): {HEAT}" in recalled.block
    # Whoever shows what was given, or answers from it, says so too.
    assert [text for _, text in recalled.episodes] == [f"(since changed) {HEAT}"]
    (result,) = _episodes(anna)
    assert result.since_changed


def test_what_is_set_back_is_not_marked_any_more(anna):
    fact = tell(anna, "heating.install_date", "the 14th")
    discussed(anna, HEAT, taught=fact)
    tell(anna, "heating.install_date", "the 21st")
    facts.revert(profile_id=anna.profile_id, fact_id=fact.id)
    assert "(since changed)" not in ask(anna).recalled.block


def test_what_is_over_is_marked(anna):
    fact = tell(anna, "heating.install_date", "the 14th")
    discussed(anna, HEAT, taught=fact)
    tell(anna, "heating.install_date", "the 14th", op="retract")
    assert "(since changed)" in ask(anna).recalled.block


def test_what_was_deleted_is_not_stated_and_after_the_purge_stands_nowhere(anna, semantic):
    fact = tell(anna, "heating.install_date", "the 14th")
    episode = discussed(anna, "We chose a heat pump. The install date is the 14th.", taught=fact)
    found = _episodes(anna) + _passages(anna)
    assert {one.kind for one in found} == {"episode", "passage"}
    facts.delete(profile_id=anna.profile_id, fact_id=fact.id)
    assert ask(anna).recalled.episodes == ()
    assert [one for one in _passages(anna) if "14th" in one.text] == []
    facts.purge(profile_id=anna.profile_id, before=datetime.now(UTC) + timedelta(days=1), most=10)
    with profile_scope(anna.profile_id):
        left = EpisodeSummary.objects.get(id=episode.id)
        assert left.summary == "We chose a heat pump."
        assert not Passage.objects.filter(text__contains="14th").exists()
    worker.drain()
    assert "We chose a heat pump." in ask(anna, "Which heat pump did we choose?").recalled.block


def test_a_summary_that_says_nothing_else_goes_with_what_was_deleted(anna):
    fact = tell(anna, "heating.install_date", "the 14th")
    discussed(anna, "The heating install is on the 14th.", taught=fact)
    facts.delete(profile_id=anna.profile_id, fact_id=fact.id)
    facts.purge(profile_id=anna.profile_id, before=datetime.now(UTC) + timedelta(days=1), most=10)
    with profile_scope(anna.profile_id):
        assert not EpisodeSummary.objects.exists()
        assert AuditLog.objects.filter(event_type="memory.episode.deleted").count() == 1


def test_it_goes_with_its_conversation(anna, semantic):
    discussed(anna, HEAT)
    worker.drain()
    with profile_scope(anna.profile_id):
        name = Conversation.objects.get().public_id
    prune.prune(profile_id=anna.profile_id, conversation_id=name)
    assert ask(anna).recalled.episodes == ()
    assert _passages(anna) == []


def _episodes(who: Person) -> list[finding.Result]:
    return finding.find_in(general(who)[1], query=ASKED, k=5, at=None, kinds=["episodes"])


def _passages(who: Person) -> list[finding.Result]:
    return finding.find_in(general(who)[1], query=ASKED, k=5, at=None, kinds=["passages"])


def test_a_short_question_finds_a_summary_by_the_word_that_it_names(anna):
    discussed(anna, HEAT)
    discussed(anna, "We planned the packing for Portugal.")
    assert HEAT in ask(anna, "What were we doing about heating?").recalled.block
    assert ask(anna, "What should we be doing about that?").recalled.episodes == ()
