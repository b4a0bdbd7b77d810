"""Models that are slow, ask for a rest, fail for an hour, talk nonsense or never end: nothing is lost or hammered."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.chaos.site import settings
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import Process, beat, eventually, worker
from tests.scripted_model import Hang, Raw, ScriptedModel, Sse, Status, Text

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(400)]
QUEUES = "extract,summarise,maintenance"
SHORT = {"CAESAR_LLM__TIMEOUT_SECONDS": "2"}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(reading)


@pytest.fixture
def state(database) -> State:
    return State(database.url("superuser"))


def told(facts: Iterator[Told], count: int) -> list[Told]:
    """So many finished chats."""
    anna = person(f"anna{time.monotonic_ns()}")
    found = [next(facts) for _ in range(count)]
    for one in found:
        tell(anna, one.sentence, conversation_id=one.key)
    return found


def pass_by(state: State, minutes: float) -> None:
    """What waits for a time has waited so long already."""
    state.run(
        "UPDATE work_items SET not_before = not_before - make_interval(secs => %s), first_failed_at = first_failed_at"
        " - make_interval(secs => %s) WHERE state = 'waiting'", 60 * minutes, 60 * minutes
    )  # fmt: skip
    state.run("UPDATE model_pauses SET until = until - make_interval(secs => %s)", 60 * minutes)


def settle(state: State, running: Process, *, minutes: float = 0.0, seconds: float = 90) -> None:
    """Until all is read; each look lets minutes pass by."""

    def settled() -> bool:
        if minutes:
            pass_by(state, minutes)
        return state.settled()

    eventually(settled, seconds=seconds, what=lambda: f"{state.items()} {running.said()[-2000:]}")


@pytest.mark.long
def test_an_hour_of_failures_costs_few_calls_and_no_chat(state, model, facts) -> None:
    model.extraction(Status(500, "boom"))
    heard = told(facts, 10)
    with worker(settings(model), queues=QUEUES) as running, beat(settings(model)):
        for _ in range(12):
            before = len(model.extractions)
            pass_by(state, 5)
            eventually(lambda: len(model.extractions) > before, seconds=90, what=running.said)  # noqa: B023
        calls = len(model.extractions)
        assert not state.items()["dead"]
        model.extraction(reading)
        settle(state, running, minutes=5)
    assert calls <= 12 * 10  # never twice for one chat within five minutes
    assert state.wrongs(heard) == []


@pytest.mark.long
@pytest.mark.parametrize("trouble", ["garbage", "slow", "no end", "hangs"])
def test_a_model_that_cannot_be_used_is_waited_for(state, model, facts, trouble: str) -> None:
    troubles = {
        "garbage": Raw(b"\x00\xff<html>\xfe not a reply"),
        "slow": lambda r: Text(reading(r), delay=30),
        "no end": Sse(["data: {}"] * 10_000, interval=0.01),
        "hangs": Hang(),
    }
    model.extraction([troubles[trouble]] * 2 + [reading])  # type: ignore[list-item]
    heard = told(facts, 3)
    with worker(settings(model) | SHORT, queues=QUEUES) as running, beat(settings(model)):
        eventually(lambda: len(model.extractions) > 1, seconds=90, what=running.said)
        settle(state, running, minutes=2)
        assert all(r.closed_at or r.done_at for r in model.extractions)  # it hung up on each
    assert state.wrongs(heard) == []


def test_it_rests_as_long_as_the_model_asks(state, model, facts) -> None:
    model.extraction([Status(429, "slow down", headers={"Retry-After": "3"}), reading])
    heard = told(facts, 8)
    with worker(settings(model), queues=QUEUES) as running, beat(settings(model)):
        settle(state, running)
    first, *later = [r.at for r in model.extractions]
    at_once = [at for at in later if at - first < 2.5]
    assert len(at_once) <= 3  # they were on their way already
    assert state.wrongs(heard) == []
