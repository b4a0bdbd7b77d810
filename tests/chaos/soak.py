"""Half an hour of mixed load on a whole installation: `make soak`, or `python -m tests.chaos.soak MINUTES`.

Promised: no request fails, the memory of every process and its connections stay as they are, the slowest chats get no
slower, and whoever says little is heard as soon as ever while somebody else never stops talking.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

import tests.environment
from bench.footprint import family, megabytes
from bench.tables import table
from tests.chaos import site as sites
from tests.chaos.site import PROCESSES, Site
from tests.chaos.telling import fact

assert tests.environment  # before anything of the product
CLIENTS, PAUSE = 4, 0.25  # seconds between the requests of one client
LOOK_EVERY = 5.0
PROBE_EVERY = 20.0
GROWTH, ROOM_MB = 1.10, 12.0  # of memory, over the second half
SLOWER, ROOM_SECONDS = 1.5, 0.1  # of the slowest hundredth of chats
LEARNED_WITHIN = 20.0
NOISY, QUIET = "noisy", "quiet"


class Seen:
    """What was measured, in order of time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.chats: list[float] = []
        self.failed: list[str] = []
        self.memory: dict[str, list[float]] = defaultdict(list)
        self.connections: list[int] = []
        self.files: list[int] = []
        self.heard: list[float] = []


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    with tempfile.TemporaryDirectory(prefix="caesar-soak-") as folder, sites.running(Path(folder) / "home") as site:
        site.normal(map(fact, itertools.count(20_000_000)), seconds=180)  # everything has loaded what it needs
        seen = _soak(site, minutes * 60)
        wrong = [*_judged(seen), *_settled(site)]
    print("\n".join(wrong) or "All as promised.")
    sys.exit(bool(wrong))


def _soak(site: Site, seconds: float) -> Seen:
    seen, ending, facts = Seen(), threading.Event(), (fact(n) for n in itertools.count())
    hands: list[Callable[[], None]] = [lambda n=n: _client(site, seen, ending, n) for n in range(CLIENTS)]  # type: ignore[misc]
    hands += [lambda: _noisy(site, ending, facts), lambda: _probe(site, seen, ending)]
    threads = [threading.Thread(target=hand) for hand in hands]
    for thread in threads:
        thread.start()
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            _look(site, seen)
            time.sleep(LOOK_EVERY)
    finally:
        ending.set()
        for thread in threads:
            thread.join()
    return seen


def _client(site: Site, seen: Seen, ending: threading.Event, number: int) -> None:
    """What people and programs do, in a proportion that one can imagine."""
    dice, turns = random.Random(number), itertools.count()
    acts = {_chat: 6, _stream: 3, _recall: 2, _list: 1, _context: 1, _author_and_delete: 1}
    while not ending.wait(PAUSE * (0.5 + dice.random())):
        (act,) = dice.choices(list(acts), list(acts.values()))
        started = time.perf_counter()
        try:
            act(site, f"p{dice.randrange(6)}", next(turns) + 1_000_000 * number)
        except Exception as error:
            seen.failed.append(f"{act.__name__}: {error}")
        if act in (_chat, _stream):
            with seen.lock:
                seen.chats.append(time.perf_counter() - started)


def _asked(site: Site, method: str, path: str, profile: str, **more: object) -> object:
    answer = site.http.request(method, path, headers={"X-Caesar-Profile": profile}, **more)  # type: ignore[arg-type]
    answer.raise_for_status()
    return answer.json() if answer.content else None


def _chat(site: Site, profile: str, n: int) -> None:
    body = {"messages": [{"role": "user", "content": f"Good morning. {fact(n % 500).sentence}"}]}
    _asked(site, "POST", "/v1/chat", profile, json=body)


def _stream(site: Site, profile: str, n: int) -> None:
    body = {"messages": [{"role": "user", "content": f"{fact(n % 500).sentence} What else?"}], "stream": True}
    with site.http.stream("POST", "/v1/chat/completions", json=body, headers={"X-Caesar-Profile": profile}) as answer:
        answer.raise_for_status()
        if "data: [DONE]" not in list(answer.iter_lines()):
            raise ValueError("a stream without its end")


def _recall(site: Site, profile: str, n: int) -> None:
    _asked(site, "POST", "/v1/recall", profile, json={"query": f"What is my {fact(n % 500).key} called?"})


def _list(site: Site, profile: str, n: int) -> None:
    _asked(site, "GET", "/v1/facts", profile)


def _context(site: Site, profile: str, n: int) -> None:
    _asked(site, "POST", "/v1/context", profile, json={"query": "Who am I?"})


def _author_and_delete(site: Site, profile: str, n: int) -> None:
    made = _asked(site, "POST", "/v1/facts", profile, json={"value": f"Number {n} is of no importance."})
    assert isinstance(made, dict)
    _asked(site, "DELETE", f"/v1/facts/{made['id']}", profile)


def _noisy(site: Site, ending: threading.Event, facts: Iterator[object]) -> None:
    """Somebody whose chats could fill the worker's whole day."""
    for n in itertools.count():
        if ending.wait(0.1):
            return
        body = {"messages": [{"role": "user", "content": f"Again: {fact(n % 2000).sentence}"}]}
        site.http.post("/v1/chat", json=body, headers={"X-Caesar-Profile": NOISY})


def _probe(site: Site, seen: Seen, ending: threading.Event) -> None:
    """Somebody who says one thing now and then: how long until it is known?"""
    for n in itertools.count(10_000_000):
        told, started = fact(n), time.monotonic()
        try:
            _asked(site, "POST", "/v1/chat", QUIET, json={"messages": [{"role": "user", "content": told.sentence}]})
            while told.value not in str(_asked(site, "GET", f"/v1/facts?q={told.value}", QUIET)):
                if ending.wait(0.2):
                    return
            seen.heard.append(time.monotonic() - started)
        except Exception as error:
            seen.failed.append(f"probe: {error}")
        if ending.wait(PROBE_EVERY):
            return


def _look(site: Site, seen: Seen) -> None:
    parts = {name: family(found) for name in PROCESSES if (found := site.process(name)) is not None}
    with suppress(psutil.NoSuchProcess):  # sessions of the database come and go; another look is not far
        for name, size in megabytes(parts).items():
            seen.memory[name].append(size)
    (count,) = site.state.rows("SELECT count(*) FROM pg_stat_activity WHERE usename = 'caesar_service'")[0]
    seen.connections.append(count)
    web = site.process("web")
    seen.files.append(web.num_fds() if web is not None else 0)


def _judged(seen: Seen) -> Iterator[str]:
    """What was not as promised."""
    rows = {name: [*_halves(sizes), max(sizes)] for name, sizes in seen.memory.items()}
    table("Memory, MB", ["2nd quarter", "at the end", "most"], rows)
    for name, (before, after, _) in rows.items():
        if name != "database" and after > GROWTH * before + ROOM_MB:
            yield f"{name} grew from {before:.0f} to {after:.0f} MB"
    counts = {"connections": _halves(seen.connections), "open files of web": _halves(seen.files)}
    table("Held", ["2nd quarter", "at the end"], counts)
    yield from (f"{name} grew from {a:.0f} to {b:.0f}" for name, (a, b) in counts.items() if b > a + 10)
    third = len(seen.chats) // 3
    slow = [_p99(seen.chats[:third]), _p99(seen.chats[third : 2 * third]), _p99(seen.chats[2 * third :])]
    table(
        f"Slowest hundredth of {len(seen.chats):,} chats, ms",
        ["1st third", "2nd", "3rd"],
        {"": [1000 * s for s in slow]},
    )
    if slow[2] > SLOWER * slow[0] + ROOM_SECONDS:
        yield "chats got slower"
    heard = seen.heard or [float("inf")]
    table(f"Until the quiet one is known, s ({len(seen.heard)} times)", ["median", "most"],
          {"": [sorted(heard)[len(heard) // 2], max(heard)]})  # fmt: skip
    if max(heard) > LEARNED_WITHIN:
        yield f"somebody was known only after {max(heard):.0f} s"
    yield from [f"{len(seen.failed)} requests failed: {seen.failed[0]}"] if seen.failed else []


def _halves(values: list[float] | list[int]) -> list[float]:
    """The most of the second quarter, when all is warm, and of the last."""
    quarter = max(1, len(values) // 4)
    return [float(max(values[quarter : 2 * quarter] or values)), float(max(values[-quarter:]))]


def _p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)] if values else float("inf")


def _settled(site: Site) -> list[str]:
    """All that was said is worked off in the end, and nothing is given up."""
    site.settle(seconds=300)
    return [f"{n} items are {state}" for state, n in site.state.items().items() if state == "dead"]


if __name__ == "__main__":
    main()
