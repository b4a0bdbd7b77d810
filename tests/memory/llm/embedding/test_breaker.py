"""Who does not answer is left alone for a while."""

from __future__ import annotations

from memory.llm.embedding.breaker import Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_failures_in_a_row_alone() -> None:
    breaker = Breaker(limit=2, cool_off_seconds=10, clock=Clock())
    assert [breaker.failed(), breaker.succeeded(), breaker.failed(), breaker.allows()] == [False, False, False, True]
    assert breaker.failed()
    assert breaker.is_open
    assert not breaker.allows()
    assert not breaker.failed()  # it was open already


def test_after_a_while_one_may_try_and_the_others_wait_for_it() -> None:
    clock = Clock()
    breaker = Breaker(limit=1, cool_off_seconds=10, clock=clock)
    breaker.failed()
    clock.now = 9.9
    assert not breaker.allows()
    clock.now = 10.1
    assert [breaker.allows(), breaker.allows()] == [True, False]
    assert not breaker.failed()
    clock.now = 20.0
    assert not breaker.allows()
    clock.now = 20.2
    assert breaker.allows()
    assert breaker.succeeded()
    assert breaker.allows()
    assert not breaker.is_open


def test_a_provider_that_names_a_time_is_left_alone_that_long() -> None:
    clock = Clock()
    breaker = Breaker(limit=3, cool_off_seconds=10, clock=clock)
    assert breaker.failed(pause_seconds=60)
    clock.now = 59.0
    assert not breaker.allows()
    clock.now = 60.1
    assert breaker.allows()
