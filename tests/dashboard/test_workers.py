"""/dashboard/workers: what waits, fails or was given up; charts of what was read."""

import itertools
import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from dashboard.charts import chart, dollars
from memory import work_days, workers
from memory.db import operator_scope, profile_scope
from memory.models import Worker, WorkItem
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


def test_the_operator_sees_how_much_is_read(anna):
    operator(anna)
    for hours in (0.1, 0.9, 1.5):
        item(anna, state="done", finished_at=datetime.now(UTC) - timedelta(hours=hours))
    item(anna, state="dead", finished_at=datetime.now(UTC))
    content = anna.get("/dashboard/workers").content.decode()
    assert "Read in the last hour" in content
    (row,) = re.findall(r'<th scope="row">Facts</th>(.*?)</tr>', content)
    assert re.findall(r">(\d+)<", row) == ["0", "0", "1", "2"]


def test_the_operator_sees_who_works(anna):
    operator(anna)
    assert "No worker has told of itself" in anna.page("/dashboard/workers").text
    workers.report(name="worker@attic", queues=["extract"], threads=4, problem="", begins=True)
    workers.report(name="worker@cellar", queues=["embed"], threads=4, problem="the tables are newer", begins=True)
    text = " ".join(anna.page("/dashboard/workers").text.split())
    assert "worker@attic extract works" in text
    assert "worker@cellar embed takes no work the tables are newer" in text
    with operator_scope():
        Worker.objects.filter(name="worker@attic").update(seen_at=datetime.now(UTC) - timedelta(hours=1))
    assert "worker@attic extract silent for 3,600 s" in " ".join(anna.page("/dashboard/workers").text.split())


def test_days_are_counted_in_the_persons_zone(anna):
    late = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
    for hours in (0, 2):
        item(anna, state="done", finished_at=late + timedelta(hours=hours), calls=2, input_tokens=100, output_tokens=10)
    today = date(2026, 3, 2)
    with profile_scope(anna.who.profile_id):
        days = work_days.days(profile_id=anna.who.profile_id, zone=ZoneInfo("Asia/Tokyo"), today=today, many=3)
        assert [(day.day.day, day.read, day.calls, day.tokens) for day in days] == [
            (28, 0, 0, 0),
            (1, 0, 0, 0),
            (2, 2, 4, 220),
        ]
        days = work_days.days(profile_id=anna.who.profile_id, zone=ZoneInfo("UTC"), today=today, many=3)
        assert [day.read for day in days] == [0, 1, 1]


def test_it_counts_every_day_whatever_came_after(anna):
    """The newest rows are not those that ended last: what was read again has an old number."""
    begin = datetime(2026, 3, 1, 12, tzinfo=UTC)
    item(anna, state="done", finished_at=begin, calls=1, input_tokens=10, output_tokens=1)
    item(anna, state="dead", finished_at=begin, calls=3, input_tokens=30, output_tokens=3)
    item(anna, state="waiting", calls=7)
    item(anna, id=10_000_000, state="done", finished_at=begin, calls=1, input_tokens=10, output_tokens=1)
    with profile_scope(anna.who.profile_id):
        (day,) = work_days.days(profile_id=anna.who.profile_id, zone=ZoneInfo("UTC"), today=date(2026, 3, 1), many=1)
    assert (day.read, day.calls, day.input_tokens, day.output_tokens) == (2, 5, 50, 5)


def test_it_says_what_reading_costs_and_of_whom_it_does_not_know(anna, bert):
    now = datetime.now(UTC)
    read_ = {"state": "done", "finished_at": now, "calls": 1}
    item(anna, **read_, model="anthropic/claude-haiku-4-5-20251001", input_tokens=1_000_000, output_tokens=100_000)
    item(anna, **read_, model="ollama/llama3.1:8b", input_tokens=1_000_000, output_tokens=100_000)
    text = " ".join(anna.page("/dashboard/workers").text.split())
    assert "Cost a day $1.50 in all, $1.50 at most" in text
    assert "price unknown" not in text
    item(anna, **read_, model="openai/my-own-tune", input_tokens=5, output_tokens=5)
    text = " ".join(anna.page("/dashboard/workers").text.split())
    assert "Cost a day $1.50 in all" in text
    assert "Without openai/my-own-tune: price unknown." in text
    item(bert, **read_, model="openai/my-own-tune", input_tokens=5, output_tokens=5)
    assert "Cost a day unknown" in " ".join(bert.page("/dashboard/workers").text.split())


def test_dollars_are_shown_so_that_little_is_not_nothing():
    shown = [dollars(each) for each in (0, 0.00001, 0.0042, 0.5, 0.996, 1, 1234.5)]
    assert shown == ["$0.00", "< $0.0001", "$0.0042", "$0.5000", "$1.00", "$1.00", "$1234.50"]


def test_a_chart_draws_its_numbers():
    drawn = chart("Tokens", [("a", 0), ("b", 50), ("c", 1000), ("d", 1), ("e", -3)])
    assert (drawn.caption, drawn.first, drawn.last) == ("1,051 in all, 1,000 at most", "a", "e")
    heights = [float(bar.height) for bar in drawn.bars]
    assert heights == [1.0, 4.1, 82.0, 2.0, 1.0]
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
    with django_assert_max_num_queries(50):
        anna.page("/dashboard/workers")
