"""/dashboard/audit, narrowed; and in a log of very many rows."""

import time
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import audit_selectors, facts, profiles
from memory.audit_selectors import Wanted
from memory.db import profile_scope
from memory.models import AuditLog, Event
from tests.dashboard.test_audit import tell

DAY = timedelta(days=1)
BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def rows(visitor, many, event=Event.CHAT_COMPLETED, start=BEGIN, step=DAY):
    with profile_scope(visitor.who.profile_id):
        AuditLog.objects.bulk_create(
            AuditLog(
                profile_id=visitor.who.profile_id,
                event_type=event.value,
                at=start + n * step,
                payload={"messages": [{"role": "user", "text": f"said on day {n}."}]},
            )
            for n in range(many)
        )


@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ("", ["Learned dog.name", "You corrected dog.name", "I like tea"], []),
        ("kind=chats", ["I like tea"], ["Learned dog.name"]),
        ("kind=facts", ["Learned dog.name", "You corrected"], ["I like tea"]),
        ("kind=yours", ["You corrected dog.name (value Beans → Bean)"], ["I like tea", "Learned"]),
        ("conversation=thread", ["I like tea"], ["Learned", "on rainy days"]),
        ("conversation=thread&kind=facts", ["Nothing fits"], ["I like tea"]),
        ("kind=nonsense&since=x&until=9999-99-99", ["I like tea", "Learned"], []),
        ("since=2000-01-01&until=2001-01-01", ["Nothing fits"], ["I like tea"]),
        ("kind=failures", ["Nothing fits"], ["I like tea"]),
    ],
)
def test_it_narrows(anna, query, there, not_there):
    tell(anna, "I like tea.", conversation_id="thread")
    tell(anna, "I take the tram on rainy days.")
    fact = anna.knows("dog.name", "Beans")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    text = anna.page(f"/dashboard/audit?{query}").text
    assert [word for word in there if word not in text] == []
    assert [word for word in not_there if word in text] == []


def test_days_are_the_persons_own(anna):
    rows(anna, 10)
    text = anna.page("/dashboard/audit?since=2026-01-03&until=2026-01-04&kind=chats").text
    assert "day 2" in text
    assert "day 3" in text
    assert "day 1" not in text
    assert "day 4" not in text
    profiles.update(profile_id=anna.who.profile_id, changes={"timezone": "Pacific/Kiritimati"})
    text = anna.page("/dashboard/audit?since=2026-01-03&until=2026-01-04").text
    assert "day 1" in text
    assert "day 2" in text
    assert "day 3" not in text


@pytest.mark.parametrize("events", [(), (Event.CHAT_COMPLETED,), (Event.CHAT_COMPLETED, Event.FACT_ADDED)])
@pytest.mark.parametrize("days", [(None, None), (3, None), (None, 7), (3, 7), (0, 0), (-5, 50), (9, 10)])
@pytest.mark.parametrize("most", [1, 3, 100])
def test_it_finds_what_a_plain_look_at_every_row_finds(anna, events, days, most):
    minute = timedelta(minutes=1)
    for n in range(10):
        # A fact's row is written after the chat's next row, by a transaction that began before it.
        rows(anna, 1, start=BEGIN + n * minute)
        rows(anna, 1, event=Event.FACT_ADDED, start=BEGIN + (n - 0.5) * minute)
    since, until = (None if day is None else BEGIN + timedelta(minutes=day) for day in days)
    wanted = Wanted(events=events, since=since, until=until)
    with profile_scope(anna.who.profile_id):
        everything = list(AuditLog.objects.order_by("-id"))
        expected = [
            row.id
            for row in everything
            if (not events or row.event_type in events)
            and (since is None or row.at >= since)
            and (until is None or row.at < until)
        ]
        found = [row.id for row in audit_selectors.newest(profile_id=anna.who.profile_id, wanted=wanted, most=most)]
        assert found == expected[:most]
        middle = everything[len(everything) // 2].id
        before = audit_selectors.newest(profile_id=anna.who.profile_id, wanted=wanted, before=middle, most=most)
        assert [row.id for row in before] == [i for i in expected if i < middle][:most]


def test_a_row_can_be_had_as_it_is_kept(anna, bert):
    audit_id = tell(anna, "I like tea.")
    response = anna.get(f"/dashboard/audit/{audit_id}/json")
    assert response["Content-Type"] == "application/json; charset=utf-8"
    assert response.json()["messages"][0]["text"] == "I like tea."
    assert bert.get(f"/dashboard/audit/{audit_id}/json").status_code == 404


MILLION = """
INSERT INTO audit_log (profile_id, event_type, at, actor, mine_facts, mine_summary, payload)
SELECT %s, CASE WHEN n %% 20000 = 0 THEN 'memory.extract.dead_letter' WHEN n %% 3 = 0 THEN 'memory.fact.confirmed'
            ELSE 'chat.completed' END,
       timestamptz '2024-01-01' + n * interval '1 minute', 'person', false, false,
       '{"key": "dog.name", "value": "Beans"}'
  FROM generate_series(1, %s) n
"""


def test_it_is_quick_in_a_log_of_very_many_rows(anna):
    with psycopg.connect(anna.cluster.url("superuser"), autocommit=True) as superuser:
        superuser.execute(MILLION, [anna.who.profile_id, 300_000])
        superuser.execute("ANALYZE audit_log")
    slow = {}
    for query in (
        "",
        "kind=failures",
        "kind=yours",
        "until=2024-01-20",
        "since=2024-02-01&until=2024-02-03&kind=facts",
        "before=150000",
        "kind=failures&until=2024-03-01",
    ):
        times = []
        for _ in range(3):
            with CaptureQueriesContext(connection) as asked:
                begin = time.perf_counter()
                anna.page(f"/dashboard/audit?{query}")
                times.append(time.perf_counter() - begin)
        print(f"{query}: {min(times) * 1000:.0f} ms, {len(asked)} queries")
        assert len(asked) <= 24
        slow[query] = min(times)
    assert not {query: seconds for query, seconds in slow.items() if seconds > 2}
