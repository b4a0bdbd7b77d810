from datetime import date

import numpy as np
import pytest

from memory.domain.ranking.periods import Period, fits, periods

TODAY = date(2023, 10, 25)  # a Wednesday


def day(text):
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What happened on 7 May 2023?", "2023-05-07", "2023-05-07"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("on 2023-05-07", "2023-05-07", "2023-05-07"),
        ("in June 2022", "2022-06-01", "2022-06-30"),
        ("during 2021", "2021-01-01", "2021-12-31"),
        ("what did I say yesterday?", "2023-10-24", "2023-10-24"),
        ("was habe ich gestern gesagt?", "2023-10-24", "2023-10-24"),
        ("last week", "2023-10-15", "2023-10-23"),
        ("last year", "2022-01-01", "2022-12-31"),
        ("two years ago", "2021-01-01", "2021-12-31"),
        ("12 years ago", "2011-01-01", "2011-12-31"),
        ("am 3. Oktober 2023", "2023-10-03", "2023-10-03"),
        ("2023年5月7日", "2023-05-07", "2023-05-07"),
    ],
)
def test_it_reads_the_times_that_a_question_names(text, first, last):
    assert Period(day(first), day(last)) in periods(text, TODAY)


def test_a_day_of_the_week_is_the_one_before_too():
    assert Period(day("2023-10-24"), day("2023-10-24")) in periods("what did I plan on Tuesday?", TODAY)


@pytest.mark.parametrize("text", ["the sun sat on May", "may I go?", "room 2045.3", "", "1200", "Ich wohne hier."])
def test_it_reads_none_where_there_is_none(text):
    assert periods(text, TODAY) == ()


def test_a_day_fits_itself_its_neighbours_and_partly_the_two_weeks_after():
    named = [Period(day("2023-05-07"), day("2023-05-07"))]
    days = np.array([day(f"2023-05-{n:02}").toordinal() for n in (5, 6, 7, 8, 9, 21, 22)])
    assert fits(named, days).tolist() == [0, 1, 1, 1, 0.5, 0.5, 0.5]
    assert fits(named, np.array([day("2023-05-23").toordinal()])).tolist() == [0]


def test_a_month_fits_partly_and_the_best_of_several_counts():
    month = Period(day("2023-05-01"), day("2023-05-31"))
    days = np.array([day(text).toordinal() for text in ("2023-04-30", "2023-05-01", "2023-05-31", "2023-06-01")])
    assert fits([month], days).tolist() == [0, 0.5, 0.5, 0]
    assert fits([month, Period(day("2023-05-01"), day("2023-05-01"))], days).tolist() == [1, 1, 0.5, 0]
    assert fits([], days).tolist() == [0, 0, 0, 0]


def test_it_takes_a_long_text_in_its_stride():
    assert len(periods("5 May 2023 yesterday last week " * 50_000, TODAY)) <= 40
