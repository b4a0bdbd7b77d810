"""Clocks of our processes that are set back and forward, and hosts that do not agree: nothing waits for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.site import settings
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import beat, eventually, worker
from tests.scripted_model import ScriptedModel, Status

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(240)]
QUEUES = "extract,summarise,maintenance"
SOURCE = Path(__file__).with_name("clock.c")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lets a process's clock be set, loaded before the C library."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("NOT TESTED: clocks that are set. There is no C compiler here, or this is not Linux.")
    made = tmp_path_factory.mktemp("clock") / "clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", made, SOURCE, "-ldl"], check=True)
    return made


class Clock:
    """A host's clock, so many hours off."""

    def __init__(self, library: Path, path: Path, hours: int) -> None:
        self._path = path
        self.set(hours)
        self.env = {"LD_PRELOAD": str(library), "SET_CLOCK": str(path)}

    def set(self, hours: int) -> None:
        draft = self._path.with_suffix(".new")
        draft.write_text(str(3600 * hours))
        os.replace(draft, self._path)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(reading)


@pytest.fixture
def state(database) -> State:
    return State(database.url("superuser"))


@pytest.mark.long
def test_clocks_may_be_set_while_everything_runs(state, model, facts: Iterator[Told], library, tmp_path: Path) -> None:
    clock = Clock(library, tmp_path / "clock", 0)
    env = settings(model) | clock.env
    anna, heard = person("anna"), []
    with worker(env, queues=QUEUES) as running, beat(env):
        for hours in (0, -1, 1):
            clock.set(hours)
            heard.append(next(facts))
            tell(anna, heard[-1].sentence)
            eventually(lambda: heard[-1].value in state.values(), seconds=90, what=running.said)
        clock.set(-1)
        model.extraction([Status(500, "boom"), reading])
        heard.append(next(facts))
        tell(anna, heard[-1].sentence)
        failed = "SELECT count(*) FROM work_items WHERE state = 'waiting' AND outages = 1 AND not_before > now()"
        eventually(lambda: state.rows(failed) != [(0,)], seconds=90, what=running.said)  # it waits, by any clock
        eventually(lambda: heard[-1].value in state.values(), seconds=90, what=running.said)
        eventually(state.settled, seconds=90, what=running.said)
    assert state.wrongs(heard) == []


@pytest.mark.long
def test_hosts_may_differ_by_hours(state, model, facts: Iterator[Told], library, tmp_path: Path) -> None:
    """A scheduler that is late, and one worker that is early."""
    slow, fast = Clock(library, tmp_path / "slow", -2), Clock(library, tmp_path / "fast", 2)
    anna, told = person("anna"), next(facts)
    tell(anna, told.sentence)
    with worker(settings(model) | fast.env, queues=QUEUES) as running, beat(settings(model) | slow.env):
        eventually(state.settled, seconds=90, what=running.said)
        (seen,) = state.rows("SELECT extract(epoch FROM clock_timestamp() - seen_at)::float8 FROM workers")
        assert 0 <= seen[0] < 30
    assert state.wrongs([told]) == []
