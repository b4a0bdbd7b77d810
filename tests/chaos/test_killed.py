"""Any one process is killed -9: service is normal again by itself, and nothing was lost, doubled or made up."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from caesar.embedded.valkey import Valkey
from tests.chaos.site import PROCESSES, WITHIN, Site
from tests.chaos.telling import Told, reading
from tests.processes import eventually
from tests.scripted_model import Text

pytestmark = pytest.mark.timeout(300)


SHORT = ("beat",)


@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in PROCESSES]
)
def test_service_is_normal_again_whatever_is_killed(site: Site, facts: Iterator[Told], name: str) -> None:
    site.normal(facts, seconds=60)
    site.model.extraction([lambda r: Text(reading(r), delay=60 if name == "worker" else 3), reading])
    asked = len(site.model.extractions)
    site.tell(next(facts))
    eventually(lambda: len(site.model.extractions) > asked, what=site.look)  # it is being read when it happens
    site.kill(name)
    took = site.normal(facts, seconds=90)
    print(f"{name}: {took:.1f} s")
    assert site.wrongs() == []
    assert took < WITHIN


@pytest.mark.long
def test_a_chat_is_whole_or_was_never_answered_where_the_web_dies_in_mid_stream(
    site: Site, facts: Iterator[Told]
) -> None:
    site.normal(facts, seconds=60)
    told = next(facts)
    site.model.reply(Text(pieces=["word "] * 200, interval=0.05))
    lines: list[str] = []

    def listen() -> None:
        body = {"messages": [{"role": "user", "content": told.sentence}], "stream": True}
        try:
            with site.http.stream("POST", "/v1/chat/completions", json=body) as answer:
                lines.extend(answer.iter_lines())
        except httpx.HTTPError:
            pass

    site.tried.append(told)
    client = threading.Thread(target=listen)
    client.start()
    site.model.wait_for(lambda m: any(r.sent > 5 for r in m.chats if told.value in r.text), seconds=20)
    site.kill("web")
    client.join(30)
    assert "data: [DONE]" not in lines
    site.model.reply("ok")
    site.normal(facts, seconds=60)
    assert told.value not in site.state.values()  # nobody saw that it was heard
    assert site.tell(told)
    site.settle()
    assert site.wrongs() == []


@pytest.mark.long
def test_an_emptied_broker_loses_nothing(site: Site, facts: Iterator[Told]) -> None:
    site.normal(facts, seconds=60)
    for _ in range(5):
        site.tell(next(facts))
        with Valkey(site.up.home).client() as client:
            client.flushall()
    site.settle()
    assert site.wrongs() == []


@pytest.mark.long
def test_nothing_is_lost_over_a_thousand_chats_under_random_kills(site: Site, facts: Iterator[Told]) -> None:
    _live(site, facts, chats=int(os.environ.get("CHATS", "1000")))


def _live(site: Site, facts: Iterator[Told], *, chats: int) -> None:
    """Several people chat while somebody pulls plugs."""
    site.model.extraction(lambda r: Text(reading(r), delay=random.random()))
    ending = threading.Event()
    kills: list[str] = []

    def plugs() -> None:
        dice, after = random.Random(11), 10
        while not ending.wait(0.2):
            if len(site.tried) >= after and (found := site.process(name := dice.choice(list(PROCESSES)))) is not None:
                found.kill()
                kills.append(name)
                after = len(site.tried) + dice.randint(10, 30)

    def talk(n: int) -> None:
        heard = site.tell(next_fact(), stream=n % 2 == 0, profile=f"p{n % 7}" if n % 3 else None)
        time.sleep(0.02 if heard else 0.5)  # who was not heard takes a breath

    lock = threading.Lock()

    def next_fact() -> Told:
        with lock:
            return next(facts)

    puller = threading.Thread(target=plugs)
    puller.start()
    try:
        with ThreadPoolExecutor(4) as people:
            list(people.map(talk, range(chats)))
    finally:
        ending.set()
        puller.join()
    heard = len(site.seen)
    site.normal(facts, seconds=180)
    print(f"{chats} chats, {heard} heard, {len(kills)} kills: {kills}")
    assert site.wrongs() == []
    assert heard > chats / 4
