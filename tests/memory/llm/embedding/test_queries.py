"""A question's vector is there in time, or there is none."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory.errors import ModelDown, ModelRateLimited
from memory.llm.embedding import queries
from memory.llm.embedding.queries import Queries

VECTOR = np.array([0.6, 0.8], dtype=np.float32)


class Model:
    """Answers when its gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[str] = []
        self.error: Exception | None = None

    def __call__(self, text: str) -> np.ndarray:
        self.asked.append(text)
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        return VECTOR.copy()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_it_remembers_what_was_asked() -> None:
    model = Model()
    asking = Queries("m", model, lanes=2)
    assert asking.remembered("a dog") is None
    first = asking.ask("a dog", soon())
    assert first is not None
    assert not first.flags.writeable
    assert asking.remembered("a dog") is first
    assert asking.counts() == {"computed": 1, "cached": 1}


def test_it_forgets_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "REMEMBERED", 2)
    asking = Queries("m", Model(), lanes=1)
    for text in ("a", "b"):
        asking.ask(text, soon())
    asking.remembered("a")
    asking.ask("c", soon())
    assert [asking.remembered(text) is None for text in "abc"] == [False, True, False]


def test_equal_questions_at_once_are_one_computation() -> None:
    model = Model()
    model.gate.clear()
    asking = Queries("m", model, lanes=4)
    with ThreadPoolExecutor(6) as threads:
        answers = [threads.submit(asking.ask, "same", soon()) for _ in range(6)]
        while asking.counts().get("joined", 0) < 5:
            time.sleep(0.001)
        model.gate.set()
        assert all(answer.result() is not None for answer in answers)
    assert model.asked == ["same"]


def test_it_returns_in_time_and_keeps_what_comes_late() -> None:
    model = Model()
    model.gate.clear()
    asking = Queries("m", model, lanes=1)
    started = time.monotonic()
    assert asking.ask("slow", soon(0.05)) is None
    assert time.monotonic() - started < 0.1
    model.gate.set()
    while (found := asking.remembered("slow")) is None:
        time.sleep(0.001)
    np.testing.assert_array_equal(found, VECTOR)


def test_a_hanging_model_costs_only_the_first_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "COOL_OFF_SECONDS", 0.3)
    model = Model()
    model.gate.clear()
    asking = Queries("m", model, lanes=2)
    for i in range(queries.FAILURES_IN_A_ROW):
        assert asking.ask(f"hangs {i}", soon(0.02)) is None
    assert asking.paused
    started = time.monotonic()
    assert all(asking.ask(f"more {i}", soon()) is None for i in range(100))
    assert time.monotonic() - started < 0.1
    assert asking.counts()["paused"] == 100
    model.gate.set()
    deadline = soon()
    while asking.ask("again", soon()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert not asking.paused


def test_it_says_once_that_it_pauses(caplog: pytest.LogCaptureFixture) -> None:
    model = Model()
    model.error = ModelDown("gone")
    asking = Queries("m", model, lanes=1)
    for i in range(10):
        assert asking.ask(f"q {i}", soon()) is None
    assert len(model.asked) == queries.FAILURES_IN_A_ROW
    said = [record.getMessage() for record in caplog.records if "query_embedding_paused" in record.getMessage()]
    assert len(said) == 1
    assert "gone" in said[0]


def test_too_many_at_once_are_told_so_and_the_rest_goes_on() -> None:
    model = Model()
    model.gate.clear()
    asking = Queries("m", model, lanes=1)
    with ThreadPoolExecutor(9) as threads:
        answers = [threads.submit(asking.ask, f"q {i}", soon()) for i in range(9)]
        while asking.counts().get("computed", 0) < 9:
            time.sleep(0.001)
        assert asking.ask("one too many", soon()) is None
        assert asking.counts()["busy"] == 1
        model.gate.set()
        assert all(answer.result() is not None for answer in answers)
    assert not asking.paused


def test_a_provider_that_refuses_for_now_is_left_alone_at_once() -> None:
    model = Model()
    model.error = ModelRateLimited("slow down", retry_after=30)
    asking = Queries("m", model, lanes=1)
    assert asking.ask("a", soon()) is None
    assert asking.ask("b", soon()) is None
    assert model.asked == ["a"]


def test_an_error_of_our_own_is_logged_and_costs_no_chat(caplog: pytest.LogCaptureFixture) -> None:
    model = Model()
    model.error = ZeroDivisionError()
    assert Queries("m", model, lanes=1).ask("a", soon()) is None
    assert "query_embedding_failed" in caplog.text
