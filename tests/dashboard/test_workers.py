"""/dashboard/workers: what waits, fails or was given up; charts of what was read."""

import itertools
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from dashboard.charts import chart
from memory import work_selectors
from memory.db import profile_scope
from memory.models import WorkItem
from tests.browser.life import read, told, worked
from tests.dashboard.test_facts import HOSTILE


def item(visitor, **columns):
    return read(visitor.who, told(visitor.who, "I like tea."), **columns)


def operator(visitor):
    User.objects.filter(id=visitor.who.user_id).update(is_superuser=True, is_staff=True)


def test_it_shows_what_was_given_up_first_with_its_reason_and_raw_reply(anna):
    worked(anna.who)
    text = anna.page("/dashboard/workers").text
    for words in ("no JSON in it", "model_nonsense", "flat: 54 m2", "5 failed readings", "openai/small-1"):
        assert words in text
    assert "does not answer" not in text
    failing = anna.page("/dashboard/workers?state=failing").text
    assert "does not answer" in failing
    assert "3 outages" in failing
    assert "in 3 minutes" in failing or "in 4 minutes" in failing
    assert "1 call" in anna.page("/dashboard/workers?state=done").text
    assert anna.get("/dashboard/workers?state=nonsense&page=x").status_code == 200


def test_it_says_where_there_is_nothing(anna):
    assert "Nothing is here" in anna.page("/dashboard/workers").text


def test_it_reads_one_again_and_all(anna):
    dead = [item(anna, state="dead", error="no", error_code="x", attempts=5) for _ in range(3)]
    assert 'class="count bad">3<' in anna.get("/dashboard/facts").content.decode()
    assert anna.post(f"/dashboard/workers/{dead[0].id}/retry").status_code == 303
    with profile_scope(anna.who.profile_id):
        assert list(WorkItem.objects.order_by("id").values_list("state", flat=True)) == ["waiting", "dead", "dead"]
    assert "as soon as a worker is free" in anna.page("/dashboard/workers").text
    anna.post("/dashboard/workers/retry")
    assert "2 chats are read again" in anna.page("/dashboard/workers").text
    with profile_scope(anna.who.profile_id):
        assert set(WorkItem.objects.values_list("state", "attempts")) == {("waiting", 0)}


def test_it_does_not_disturb_a_reading(anna):
    running = item(anna, state="running")
    anna.post(f"/dashboard/workers/{running.id}/retry")
    assert "reading it right now" in anna.page("/dashboard/workers").text


def test_nobody_else_can_look_or_retry(anna, bert):
    dead = item(anna, state="dead", error="secret reason", error_code="x")
    assert bert.post(f"/dashboard/workers/{dead.id}/retry").status_code == 404
    assert bert.post(f"/dashboard/workers/{'9' * 30}/retry").status_code == 404
    bert.post("/dashboard/workers/retry")
    assert "secret reason" not in bert.page("/dashboard/workers?state=dead").text
    with profile_scope(anna.who.profile_id):
        assert WorkItem.objects.get().state == "dead"


def test_the_whole_installation_is_the_operators_business(anna, bert):
    item(bert, state="dead", error="secret reason", error_code="x")
    assert "The whole installation" not in anna.page("/dashboard/workers").text
    assert anna.post("/dashboard/workers/retry/everybody").status_code == 404
    operator(anna)
    page = anna.page("/dashboard/workers").text
    assert "The whole installation" in page
    assert "secret reason" not in page
    anna.post("/dashboard/workers/retry/everybody")
    with profile_scope(bert.who.profile_id):
        assert WorkItem.objects.get().state == "waiting"


def test_days_are_counted_in_the_persons_zone(anna):
    late = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
    for hours in (0, 2):
        item(anna, state="done", finished_at=late + timedelta(hours=hours), calls=2, input_tokens=100, output_tokens=10)
    today = date(2026, 3, 2)
    with profile_scope(anna.who.profile_id):
        days = work_selectors.days(profile_id=anna.who.profile_id, zone=ZoneInfo("Asia/Tokyo"), today=today, many=3)
        assert [(day.day.day, day.read, day.calls, day.tokens) for day in days] == [
            (28, 0, 0, 0),
            (1, 0, 0, 0),
            (2, 2, 4, 220),
        ]
        days = work_selectors.days(profile_id=anna.who.profile_id, zone=ZoneInfo("UTC"), today=today, many=3)
        assert [day.read for day in days] == [0, 1, 1]


def test_a_chart_draws_its_numbers():
    drawn = chart("Tokens", [("a", 0), ("b", 50), ("c", 100), ("d", 1), ("e", -3)])
    assert (drawn.total, drawn.most, drawn.first, drawn.last) == (151, 100, "a", "e")
    heights = [float(bar.height) for bar in drawn.bars]
    assert heights == [1.0, 41.0, 82.0, 2.0, 1.0]
    assert [round(float(bar.y) + float(bar.height)) for bar in drawn.bars] == [82] * 5
    places = [(float(bar.x), float(bar.width)) for bar in drawn.bars]
    assert all(x + width <= following[0] for (x, width), following in itertools.pairwise(places))
    assert chart("Nothing", []).bars == ()
    assert {bar.height for bar in chart("Nothing", [("a", 0)]).bars} == {"1.0"}


@pytest.mark.parametrize("value", [*HOSTILE, "w" * 16_384], ids=range(len(HOSTILE) + 1))
def test_no_element_or_attribute_comes_from_a_reply(anna, value):
    dead = item(anna, state="dead", error="harmless", error_code="x", raw_reply="harmless", model="m", outcome="o")
    before = anna.page("/dashboard/workers").shape
    with profile_scope(anna.who.profile_id):
        WorkItem.objects.filter(id=dead.id).update(
            error=value, error_code=value, raw_reply=value, model=value, outcome=value
        )
    assert anna.page("/dashboard/workers").shape == before


def test_it_asks_the_database_as_often_for_many_as_for_few(anna, django_assert_max_num_queries):
    worked(anna.who)
    operator(anna)
    with django_assert_max_num_queries(40):
        anna.page("/dashboard/workers")
