"""GET /healthz and /readyz."""

import time
from dataclasses import replace

import psycopg
import pytest

from caesar import health
from memory import cursor, workers
from memory.config import LLM
from memory.models import WorkKind
from tests.caesar.api.told import tell
from tests.processes import eventually, worker


@pytest.fixture(autouse=True)
def fresh():
    health.readiness.forget()
    yield
    health.readiness.forget()


def checks(response):
    return response.json()["checks"]


def test_it_is_alive_without_looking_at_anything(nobody, django_assert_max_num_queries):
    with django_assert_max_num_queries(0):
        response = nobody.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_it_is_ready_where_everything_is_there(nobody, broker):
    with worker({}):
        started = time.monotonic()
        response = nobody.get("/readyz")
        took = time.monotonic() - started
        queues = health.ask_workers()
    assert response.status_code == 200, response.content
    assert response.json()["status"] == "ready"
    assert set(checks(response)) == {"database", "migrations", "cursor", "embedder", "broker", "workers", "model"}
    assert took < 1
    assert list(queues.values()) == [["embed", "extract", "maintenance", "summarise"]]


def test_it_says_that_no_worker_answers(nobody, broker):
    started = time.monotonic()
    response = nobody.get("/readyz")
    assert response.status_code == 503
    assert not checks(response)["workers"]["ok"]
    assert "celery" in checks(response)["workers"]["detail"]
    assert checks(response)["broker"]["ok"]
    assert time.monotonic() - started < 1.5


def test_it_says_that_no_worker_may_touch_the_tables(nobody, broker, monkeypatch):
    with worker({}):
        eventually(workers.listed)
        (one,) = workers.listed()
        workers.report(name="other", queues=["embed"], threads=1, problem="The database is newer.")
        response = nobody.get("/readyz")
        assert response.json()["status"] == "degraded"
        assert "1 of 2 take no work: The database is newer." in checks(response)["workers"]["detail"]
        refusing = replace(one, problem="The database is newer.")
        monkeypatch.setattr(workers, "listed", lambda: [refusing])
        health.readiness.forget()
        response = nobody.get("/readyz")
    assert response.status_code == 503
    assert checks(response)["workers"]["detail"] == "No worker takes work. The database is newer."


def test_it_says_that_the_broker_is_away(nobody, monkeypatch):
    monkeypatch.setattr(health.celery.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(health.celery.conf, "broker_url", "redis://127.0.0.1:1/0")
    response = nobody.get("/readyz")
    assert response.status_code == 503
    assert checks(response)["broker"]["detail"] == "The broker does not answer."
    assert "workers" not in checks(response)
    assert health.ask_workers() == {}


def test_it_says_that_the_database_is_away(nobody, settings, monkeypatch):
    monkeypatch.setattr(health, "service_url", lambda _: "postgresql://u:hunter2@127.0.0.1:1/x")
    response = nobody.get("/readyz")
    assert response.status_code == 503
    assert checks(response)["database"]["detail"] == "The database does not answer."
    assert b"hunter2" not in response.content


def test_it_says_that_the_tables_are_not_there(nobody, monkeypatch):
    def no_table():
        raise AssertionError("looked into a table that is not there yet")

    monkeypatch.setattr(health, "_unapplied", lambda: 3)
    monkeypatch.setattr(health.cursor, "lag", no_table)
    response = nobody.get("/readyz")
    assert response.status_code == 503
    assert checks(response)["migrations"]["detail"].startswith("3 not applied yet")


def test_it_is_not_an_error_of_the_server_that_it_is_not_ready(nobody, monkeypatch, caplog):
    monkeypatch.setattr(health, "service_url", lambda _: "postgresql://u:hunter2@127.0.0.1:1/x")
    assert nobody.get("/readyz").status_code == 503
    assert [record.name for record in caplog.records] == []


def test_it_says_which_session_holds_the_cursor_back(anna, nobody, database, monkeypatch):
    monkeypatch.setattr(health, "LATE_AFTER_TICKS", -1000)
    cursor.tick(WorkKind.EXTRACT)
    with psycopg.connect(database.url("superuser")) as blocker:
        blocker.execute("SELECT pg_current_xact_id()")
        tell(anna, "I like tea.")
        cursor.tick(WorkKind.EXTRACT)
        found = checks(nobody.get("/readyz"))["cursor"]
        assert not found["ok"]
        (lag,) = [c for c in found["cursors"] if c["kind"] == "extract"]
        assert (lag["rows"], lag["blocked_by"]) == (1, blocker.info.backend_pid)
        assert str(blocker.info.backend_pid) in found["detail"]


def test_it_says_how_to_have_a_model_where_there_is_none(nobody):
    model = checks(nobody.get("/readyz"))["model"]
    assert (model["ok"], model["configured"]) == (True, False)
    assert "No model is configured" in model["detail"]
    assert "CAESAR_LLM__PROVIDER" in model["detail"]


def test_it_names_the_model_and_never_its_key(nobody, settings):
    llm = LLM.model_validate({"provider": "anthropic", "model": "m-1", "anthropic": {"api_key": "sk-hunter2"}})
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm})
    response = nobody.get("/readyz")
    model = checks(response)["model"]
    assert (model["ok"], model["detail"], model["configured"]) == (True, "anthropic/m-1", True)
    assert b"hunter2" not in response.content


def test_it_is_not_ready_with_a_provider_but_no_model(nobody, settings):
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM.model_validate({"provider": "openai"})})
    model = checks(nobody.get("/readyz"))["model"]
    assert not model["ok"]
    assert "CAESAR_LLM__MODEL" in model["detail"]


def test_it_looks_once_a_second_whoever_asks(nobody, monkeypatch):
    looks = []
    kept = health.Kept(lambda: looks.append(1) or health.Readiness(()))
    monkeypatch.setattr("caesar.api.health.readiness", kept)
    for _ in range(20):
        assert nobody.get("/readyz").status_code == 200
    assert len(looks) == 1


def test_it_takes_no_other_method(nobody):
    assert nobody.post("/healthz", {}).status_code == 405
    assert nobody.post("/readyz", {}).status_code == 405
