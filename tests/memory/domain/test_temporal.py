"""Clock times in words and figures. What dates follow from is tested with grounding."""

from memory.domain.temporal import clock_times


def test_it_reads_the_time_of_day():
    assert clock_times("at 9 pm") == {(21, 0)}
    assert clock_times("um 14:30 uhr") == {(14, 30)}
    assert (9, 0) in clock_times("at 9")
    assert clock_times("12 am") == {(0, 0)}
    assert clock_times("room 9") == set()
