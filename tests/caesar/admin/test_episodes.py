"""Summaries in the admin: looked at, and deleted by memory's own verb."""

from memory.db import profile_scope
from memory.models import AuditLog, EpisodeSummary
from tests.caesar.api.test_episodes import summarised

LIST = "/admin/memory/episodesummary/"


def test_it_shows_and_deletes_a_summary_through_the_verb(operator, anna):
    episode = summarised(anna, "They plan a journey to Zanzibar.")
    assert "Zanzibar" in operator.get(LIST).content.decode()
    page = operator.get(f"{LIST}{episode.id}/change/").content.decode()
    assert "Zanzibar" in page
    assert 'name="_save"' not in page
    response = operator.post(f"{LIST}{episode.id}/delete/", {"post": "yes"})
    assert "Done." in response.content.decode()
    with profile_scope(anna.who.profile_id):
        assert not EpisodeSummary.objects.exists()
        row = AuditLog.objects.get(event_type="memory.episode.deleted")
    assert (row.actor, row.payload["episode_id"]) == ("operator", str(episode.id))


def test_it_deletes_several(operator, anna):
    rows = [summarised(anna, f"Of number {n}.", conversation_id=f"c{n}") for n in range(3)]
    chosen = {"action": "delete_selected", "_selected_action": [str(row.id) for row in rows[:2]], "post": "yes"}
    assert "Done: 2." in operator.post(LIST, chosen).content.decode()
    with profile_scope(anna.who.profile_id):
        assert [row.summary for row in EpisodeSummary.objects.all()] == ["Of number 2."]
