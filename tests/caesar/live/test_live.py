"""GET /dashboard/audit/live: a page hears that its person's log has grown."""

import os
import signal
import time
from contextlib import contextmanager

import httpx
import psutil
import psycopg
import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import facts
from tests import server
from tests.people import person
from tests.processes import eventually

PATH = "/dashboard/audit/live"
WATCHERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'caesar live'"


def session(who):
    client = Client()
    client.force_login(User.objects.get(id=who.user_id))
    return {"sessionid": client.cookies["sessionid"].value}


class Stream:
    """A page that watches."""

    def __init__(self, response):
        self._lines = response.iter_lines()

    def hears(self, seconds=10):
        """The next event, or nothing within the time that the client waits."""
        end = time.monotonic() + seconds
        try:
            for line in self._lines:
                if line.startswith("event: "):
                    return line.removeprefix("event: ")
                if time.monotonic() > end:
                    return None
        except httpx.ReadTimeout:
            return None
        return "over"


@contextmanager
def watching(web, who, wait=3.0):
    with httpx.stream("GET", web.url + PATH, cookies=session(who), timeout=httpx.Timeout(10, read=wait)) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        stream = Stream(response)
        assert stream.hears() == "rows"  # the watch has begun
        yield stream


def learns(who, value):
    facts.author(profile_id=who.profile_id, fields={"value": value})


def watchers(cluster):
    with psycopg.connect(cluster.url("superuser")) as superuser:
        return superuser.execute(WATCHERS).fetchone()[0]


def test_it_says_so_when_something_happens(web):
    anna = person("anna")
    with watching(web, anna) as stream:
        for n in range(3):
            learns(anna, f"thing {n}")
            assert stream.hears() == "rows"


def test_it_says_nothing_of_others(web):
    anna, bert = person("anna"), person("bert")
    with watching(web, anna, wait=1.5) as stream:
        learns(bert, "thing")
        assert stream.hears() is None


def test_it_lets_nobody_in_who_is_not_logged_in(web):
    anna = person("anna")
    assert httpx.get(web.url + PATH).status_code == 403
    assert httpx.get(web.url + PATH, cookies={"sessionid": "x" * 32}).status_code == 403
    assert httpx.get(web.url + PATH, headers=anna.auth).status_code == 403
    assert httpx.post(web.url + PATH, cookies=session(anna)).status_code == 405
    other = {"host": "evil.example"}
    assert httpx.get(web.url + PATH, cookies=session(anna), headers=other).status_code == 400


def test_all_pages_share_one_connection_which_ends_with_the_last(web, database):
    anna, bert = person("anna"), person("bert")
    with watching(web, anna) as one, watching(web, anna) as two, watching(web, bert) as three:
        assert watchers(database) == 1
        learns(anna, "thing")
        assert (one.hears(), two.hears()) == ("rows", "rows")
        learns(bert, "thing")
        assert three.hears() == "rows"
    eventually(lambda: watchers(database) == 0, seconds=10, what="the connection ends")
    with watching(web, anna) as stream:
        learns(anna, "again")
        assert stream.hears() == "rows"


def test_it_finds_its_way_back_to_a_database_that_hung_up(web, database):
    anna = person("anna")
    with watching(web, anna, wait=10) as stream:
        with psycopg.connect(database.url("superuser")) as superuser:
            superuser.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'caesar live'"
            )
        assert stream.hears() == "rows"  # it looks for what it missed
        learns(anna, "thing")
        assert stream.hears() == "rows"


def test_nobody_is_told_where_nobody_watches(database):
    anna = person("anna")
    with psycopg.connect(database.url("superuser"), autocommit=True) as listener:
        listener.execute("LISTEN caesar_audit")
        learns(anna, "thing")
        assert list(listener.notifies(timeout=0.5)) == []
        listener.execute(
            "SELECT pg_advisory_lock_shared(hashtextextended('caesar.live ' || %s, 0))", [str(anna.profile_id)]
        )
        learns(anna, "another")
        assert [n.payload for n in listener.notifies(timeout=2, stop_after=1)] == [str(anna.profile_id)]


@pytest.mark.usefixtures("database")
def test_open_pages_do_not_hold_up_the_end_of_the_server():
    anna = person("anna")
    with server.running() as web, watching(web, anna) as stream:
        begin = time.monotonic()
        os.kill(web.pid, signal.SIGTERM)
        assert stream.hears() == "over"
        psutil.wait_procs([psutil.Process(web.pid)], timeout=6)
        assert time.monotonic() - begin < 4
