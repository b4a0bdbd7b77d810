"""From when on a claim holds."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.domain.since import valid_from

LOS_ANGELES = ZoneInfo("America/Los_Angeles")
SAID = datetime(2025, 12, 31, 7, 30, tzinfo=UTC)  # Tuesday the 30th there


def since(raw, text, zone=LOS_ANGELES, said_at=SAID):
    return valid_from(raw, text=text, said_at=said_at, zone=zone)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("2026-01-05", "My new job starts next Monday."),
        ("2025-12-29", "I broke my wrist yesterday."),
        ("2019-05-01", "I have lived here since May 2019."),
        ("2019-01-01", "I have lived here since 2019."),
        ("2026-03-01", "From March 1st I work at Lumen."),
        ("1985-07-14", "I was born on 14.7.1985"),
    ],
)
def test_it_is_the_beginning_of_that_day_where_the_person_is(raw, text):
    found = since(raw, text)
    assert found is not None
    assert found.isoformat().startswith(f"{raw}T00:00:00-0")
    assert found.utcoffset() is not None


@pytest.mark.parametrize(
    "raw",
    [None, "", "2026-01", "2026", "next Monday", "2026-02-30", "2026-13-01", "0001-01-01", "1899-12-31", "2036-01-01",
     "9999-12-31", "2026-01-05T09:00", "20260105", "２０２６-01-05", "2026-01-05 "],
)  # fmt: skip
def test_it_is_nothing_where_it_is_no_plain_date_or_out_of_range(raw):
    years = "1899 1 2036 9999"
    assert since(raw, f"My new job starts next Monday, 5 January, {years}.") is None


@pytest.mark.parametrize("raw", ["2026-01-06", "2024-01-01", "2020-06-15"])
def test_it_does_not_believe_a_date_that_the_person_never_said(raw):
    assert since(raw, "My new job starts next Monday.") is None


@pytest.mark.parametrize(
    ("zone", "utc"),
    [
        ("Pacific/Tongatapu", "2026-01-04T11:00:00+00:00"),
        ("Pacific/Pago_Pago", "2026-01-05T11:00:00+00:00"),
        ("Asia/Kathmandu", "2026-01-04T18:15:00+00:00"),
        ("Australia/Lord_Howe", "2026-01-04T13:00:00+00:00"),
    ],
)
def test_it_counts_days_in_the_zone_of_the_person(zone, utc):
    found = since("2026-01-05", "It starts on January 5", ZoneInfo(zone))
    assert found is not None
    assert found.astimezone(UTC).isoformat() == utc


def test_a_day_that_has_no_midnight_is_still_that_day():
    beirut = ZoneInfo("Asia/Beirut")  # on 2021-03-28 the clock goes from 00:00 to 01:00
    found = since("2021-03-28", "It starts on March 28", beirut, datetime(2021, 3, 1, tzinfo=UTC))
    assert found is not None
    assert found.astimezone(UTC).astimezone(beirut).date().isoformat() == "2021-03-28"
