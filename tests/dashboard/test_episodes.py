"""/dashboard/episodes: what was discussed, where it was recalled, and its end."""

import pytest

from memory import spaces
from memory.db import profile_scope
from memory.models import AuditLog, EpisodeSummary
from tests.browser.life import DISCUSSED, discussed, discussions
from tests.dashboard.test_facts import HOSTILE


def plain(page):
    return " ".join(page.text.split())


@pytest.fixture
def heat(anna):
    discussions(anna.who)
    with profile_scope(anna.who.profile_id):
        return EpisodeSummary.objects.get(summary=DISCUSSED[0][1])


def test_it_lists_what_was_discussed_newest_first(anna, heat):
    text = plain(anna.page("/dashboard/episodes"))
    assert text.index("heat pump") < text.index("Lisbon")
    for words in ("Decided Take the offer of Nordkuhl", "Still open Who signs", "People Maren", "3 days ago"):
        assert words in text
    assert "recalled once, last" in text
    assert "never recalled" in text


def test_it_finds(anna, heat):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "Office"})
    found = anna.page("/dashboard/episodes?q=LISBON%00").text
    assert "Lisbon" in found
    assert "heat pump" not in found
    for nothing in ("?q=zebra", "?space=work", "?space=%00x", "?q=%25"):
        assert "Nothing fits" in anna.page("/dashboard/episodes" + nothing).text
    assert "heat pump" in anna.page("/dashboard/episodes?space=general&page=x").text


def test_its_page_leads_to_its_chats_and_says_where_it_was_recalled(anna, heat):
    page = anna.page(f"/dashboard/episodes/{heat.id}")
    with profile_scope(anna.who.profile_id):
        recalled = AuditLog.objects.get(event_type="memory.episode.recalled").payload
    assert f"/dashboard/audit/{recalled['chat_audit_id']}" in page.links()
    assert f"/dashboard/audit/{heat.source_audit_ids[0]}" in page.links()
    assert f"/dashboard/audit?conversation={heat.conversation_id}" in page.links()
    text = plain(page)
    assert f"Rank {recalled['score']:.2f}" in text
    assert f"Freshness {recalled['freshness']:.2f}" in text


def test_it_is_deleted_after_a_question(anna, bert, heat):
    path = f"/dashboard/episodes/{heat.id}/delete"
    assert "not written again" in anna.page(path).text
    assert bert.post(path).status_code == 404
    assert anna.post(path).status_code == 303
    assert "The summary is deleted." in anna.page("/dashboard/episodes").text
    assert "heat pump; the cheaper" not in anna.page("/dashboard/episodes").text
    assert anna.post(path).status_code == 404
    assert anna.get(f"/dashboard/episodes/{heat.id}").status_code == 404


def test_nobody_else_can_look(bert, heat):
    assert bert.get(f"/dashboard/episodes/{heat.id}").status_code == 404
    assert bert.get(f"/dashboard/episodes/{heat.id}/delete").status_code == 404
    assert "No conversation was summed up yet." in bert.page("/dashboard/episodes").text


def test_it_asks_the_database_as_often_for_many_as_for_few(anna, django_assert_max_num_queries):
    for number in range(20):
        discussed(anna.who, f"About {number}.", f"Talked about {number}.")
    with django_assert_max_num_queries(20):
        anna.page("/dashboard/episodes")


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_a_summary(anna, heat, text):
    paths = ["/dashboard/episodes", f"/dashboard/episodes/{heat.id}", f"/dashboard/episodes/{heat.id}/delete"]
    before = [anna.page(path).shape for path in paths]
    with profile_scope(anna.who.profile_id):
        details = {"decisions": [text], "open_questions": [text], "people": [text, text]}
        EpisodeSummary.objects.filter(id=heat.id).update(summary=text, details=details, model=text)
    assert [anna.page(path).shape for path in paths] == before


@pytest.mark.parametrize("details", [{}, {"people": "x"}, {"people": [5, None, {}]}, {"people": {}}, {"else": ["x"]}])
def test_whatever_stands_beside_a_summary_it_is_shown(anna, heat, details):
    with profile_scope(anna.who.profile_id):
        EpisodeSummary.objects.filter(id=heat.id).update(details=details)
    assert anna.get("/dashboard/episodes").status_code == 200
    assert anna.get(f"/dashboard/episodes/{heat.id}").status_code == 200
