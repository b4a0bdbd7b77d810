import pytest

from memory.domain.temporal import clock_times, has_relative_time


@pytest.mark.parametrize(
    "text",
    [
        "broke wrist yesterday",
        "starts next Monday",
        "3 days ago",
        "in two weeks",
        "last summer",
        "this morning",
        "gestern gestürzt",
        "nächsten Montag",
        "hace dos semanas",
        "昨日骨折した",
        "来週引っ越す",
        "ensi viikolla",
        "YESTERDAY",
        "la semaine prochaine",
    ],
)
def test_it_knows_times_that_only_their_day_can_tell(text):
    assert has_relative_time(text)


@pytest.mark.parametrize(
    "text",
    ["Graz", "2025-12-29", "works on Mondays", "jogging am Morgen", "hier bin ich", "9 to 5", "May 14", "今の仕事"],
)
def test_it_leaves_other_times_alone(text):
    assert not has_relative_time(text)


def test_it_reads_the_time_of_day():
    assert clock_times("at 9 pm") == {(21, 0)}
    assert clock_times("um 14:30 uhr") == {(14, 30)}
    assert (9, 0) in clock_times("at 9")
    assert clock_times("12 am") == {(0, 0)}
    assert clock_times("room 9") == set()
