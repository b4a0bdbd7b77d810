from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.domain.relative_time import relative_time

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "today"), (1, "yesterday"), (3, "3 days ago"), (6, "6 days ago"), (7, "last week"), (13, "last week"),
        (14, "2 weeks ago"), (29, "4 weeks ago"), (30, "last month"), (59, "last month"), (61, "2 months ago"),
        (364, "11 months ago"), (365, "last year"), (800, "2 years ago"), (-3, "today"),
    ],
)  # fmt: skip
def test_it_says_how_long_ago(days, words):
    assert relative_time(NOW - timedelta(days), NOW, UTC) == words


def test_it_counts_calendar_days_where_the_person_lives():
    said, asked = datetime(2026, 1, 2, 4, tzinfo=UTC), datetime(2026, 1, 2, 20, tzinfo=UTC)
    assert relative_time(said, asked, UTC) == "today"
    assert relative_time(said, asked, ZoneInfo("America/Los_Angeles")) == "yesterday"
