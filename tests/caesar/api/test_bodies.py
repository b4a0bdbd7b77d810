"""Whatever is sent as a request, the answer is a sentence and never a 5xx."""

import pytest

ROUTES = [("POST", "/v1/facts"), ("PATCH", "/v1/profile"), ("POST", "/v1/spaces"), ("POST", "/v1/context")]


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"nonsense",
        b"[]",
        b'"text"',
        b"null",
        b"5",
        b'{"value": NaN}',
        b'{"value": Infinity}',
        b'{"value": 1e999}',
        b'{"value": ' + b"9" * 5000 + b"}",
        b'{"value": "a", "value": "b"}',
        b'{"value": "\xff"}',
        b"\xef\xbb\xbf{}",
        b'{"value": ' + b"[" * 200 + b"]" * 200 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_it_refuses_a_body_that_is_no_object_of_json(anna, raw):
    for method, path in ROUTES:
        response = anna.call(method, path, raw=raw)
        assert response.status_code == 400, response.content
        error = response.json()["error"]
        assert error["code"] == "invalid_input"
        assert error["message"].endswith(".")
        assert len(error["message"]) < 300


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_it_takes_json_alone(anna, kind):
    response = anna.post("/v1/facts", {"value": "x"}, **{"content-type": kind})
    assert response.status_code == 415
    assert response.json()["error"]["code"] == "unsupported_media_type"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "", "application/merge-patch+json"])
def test_it_takes_json_under_its_other_names(anna, kind):
    response = anna.patch("/v1/profile", {"language": "fi"}, **{"content-type": kind})
    assert response.status_code == 200


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "nonsense", "image/*;q=0"])
def test_it_answers_in_json_whatever_is_accepted(anna, accept):
    response = anna.get("/v1/facts?", Accept=accept)
    assert response.status_code == 200
    assert response["content-type"] == "application/json"


def test_it_refuses_a_body_that_is_too_large(anna, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    response = anna.post("/v1/facts", {"value": "x" * 10_000})
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/v1/facts"), ("DELETE", "/v1/facts"), ("POST", "/v1/profile"), ("GET", "/v1/context"),
     ("GET", "/v1/work/1/retry"), ("PATCH", "/v1/audit"), ("DELETE", "/v1/audit"), ("PUT", "/v1/profile"),
     ("OPTIONS", "/v1/facts")],
)  # fmt: skip
def test_it_says_which_methods_a_route_takes(anna, method, path):
    response = anna.call(method, path, {} if method != "GET" else None)
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "method_not_allowed"
    assert response["Allow"]


def test_it_lets_nothing_be_cached(anna):
    for path in ("/v1/facts", "/v1/facts/x", "/v1/profile"):
        assert anna.get(path)["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/facts/", "/v1", "/v1/facts/x/applaud", "/v1/episode", "/v2/x"])
def test_it_answers_in_json_where_there_is_nothing(anna, path):
    response = anna.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_it_shows_no_traceback_where_something_breaks_inside(anna, monkeypatch, caplog):
    def broken(**_):
        raise ZeroDivisionError("a secret value 61k")

    monkeypatch.setattr("memory.selectors.facts_listed", broken)
    response = anna.get("/v1/facts")
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal_error"
    assert b"61k" not in response.content
    assert b"Traceback" not in response.content
    assert "ZeroDivisionError" in caplog.text


def test_it_says_that_the_database_is_away(anna, monkeypatch):
    from django.db import OperationalError

    def away(**_):
        raise OperationalError("connection to server at 10.0.0.1 failed: password=hunter2")

    monkeypatch.setattr("memory.selectors.facts_listed", away)
    response = anna.get("/v1/facts")
    assert response.status_code == 503
    assert response["Retry-After"]
    assert response.json()["error"]["code"] == "database_unavailable"
    assert b"hunter2" not in response.content


def test_it_refuses_a_host_that_is_not_served(anna):
    response = anna.get("/v1/facts", Host="evil.example")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_input"
