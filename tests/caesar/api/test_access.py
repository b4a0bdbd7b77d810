"""Who gets in, and that nobody sees another person's anything. The routes come from the URL patterns themselves."""

import pytest
from django.urls import get_resolver

from memory import apikeys, profiles
from memory.db import operator_scope, profile_scope
from memory.models import AuditLog, Fact, Profile, Space, WorkItem
from tests.caesar.api.conftest import Api
from tests.caesar.api.told import make_work, tell
from tests.people import person

NOBODYS_FACT = "0190aaaa-0000-7000-8000-000000000000"
METHODS = ("GET", "POST", "PATCH", "DELETE", "PUT")
SECRET = "61k"


def routes():
    """Every route under /v1/, with something in the place of ids."""
    api = next(p for p in get_resolver().url_patterns if str(p.pattern) == "v1/")
    for pattern in api.url_patterns:
        path = str(pattern.pattern)
        yield "/v1/" + path.replace("<str:fact_id>", NOBODYS_FACT).replace("<str:item_id>", "1").replace(
            "<str:slug>", "general"
        )


def test_it_finds_the_routes():
    assert len(list(routes())) >= 12


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer null", "Bearer undefined", "Bearer change-me", "Bearer \udc80",
     "Basic YTpi", "bearer caesar_x", "Bearer " + "x" * 10_000, "null", "Bearer a b", "Token {key}", "{key}"],
)  # fmt: skip
def test_it_lets_nobody_in_without_a_key(anna, nobody, authorization):
    headers = {} if authorization is None else {"Authorization": authorization.format(key=anna.who.key)}
    answers = set()
    for path in [*routes(), "/metrics"]:
        for method in METHODS if path != "/metrics" else ("GET",):
            response = nobody.call(method, path, {} if method in ("POST", "PATCH", "PUT") else None, **headers)
            assert response.status_code == 401, (method, path)
            assert response["WWW-Authenticate"] == "Bearer"
            answers.add(response.content)
    assert len(answers) == 1


def test_it_lets_nobody_in_with_a_revoked_key_or_one_in_the_address(anna, nobody):
    key = anna.who.key
    for path in routes():
        for name in ("key", "api_key", "token", "access_token", "authorization"):
            response = nobody.get(f"{path}?{name}={key}")
            assert response.status_code == 401
    (kept,) = apikeys.all_of(anna.who.user_id)
    apikeys.revoke(user_id=anna.who.user_id, key_id=kept.id)
    unknown = nobody.get("/v1/facts", Authorization="Bearer caesar_unknown")
    for path in routes():
        revoked = anna.get(path)
        assert (revoked.status_code, revoked.content) == (401, unknown.content)


def test_it_writes_down_that_somebody_tried(nobody):
    nobody.get("/v1/facts", Authorization="Bearer caesar_wrong_key_material")
    with operator_scope():
        rows = list(AuditLog.objects.filter(event_type="auth.failed"))
    assert all("wrong_key_material" not in str(row.payload) for row in rows)


def test_a_session_opens_nothing_here(anna):
    from django.contrib.auth.models import User

    client = Api(None)
    client._client.force_login(User.objects.get(id=anna.who.user_id))
    for path in routes():
        assert client.get(path).status_code == 401


def test_a_bound_key_opens_its_own_profile_alone(database):
    bound = Api(person("carla", app_key=False))
    assert bound.get("/v1/profile").json()["name"] == "default"
    assert bound.get("/v1/profile", **{"X-Caesar-Profile": "default"}).status_code == 200
    for path in routes():
        response = bound.get(path, **{"X-Caesar-Profile": "other"})
        assert response.status_code == 403
    with operator_scope():
        assert Profile.objects.count() == 1


def test_nobody_sees_or_changes_anything_of_another_person(anna, bert):
    """Each of Anna's ids with Bert's key: the answer is the one that an id of nobody gets, and nothing changes."""
    fact = anna.author("salary", SECRET)
    anna.post("/v1/spaces", {"slug": "annas"})
    tell(anna, f"I earn {SECRET}.", conversation_id="CA")
    make_work()
    work = anna.get("/v1/work").json()["results"][0]["id"]
    before = snapshot(anna)

    for method in ("GET", "PATCH", "DELETE"):
        same(bert, method, f"/v1/facts/{fact['id']}", f"/v1/facts/{NOBODYS_FACT}", {"value": "x"})
    same(bert, "GET", f"/v1/facts/{fact['id']}/history", f"/v1/facts/{NOBODYS_FACT}/history")
    same(bert, "POST", f"/v1/work/{work}/retry", "/v1/work/999999999/retry")
    same(bert, "PATCH", "/v1/spaces/annas", "/v1/spaces/nobodys", {"name": "mine"})
    assert bert.get("/v1/audit?conversation_id=CA").json()["results"] == []
    for query in ("", "?include_superseded=true", "?status=pending", f"?q={SECRET}", "?key=salary", "?space=annas"):
        assert bert.get(f"/v1/facts{query}").json()["results"] == []
    assert bert.post("/v1/context", {"query": f"salary {SECRET}"}).json()["block"] == ""
    assert bert.post("/v1/context", {"space": "annas"}).status_code == 404
    for path in ("/v1/audit", "/v1/work", "/v1/conversations", "/v1/spaces", "/v1/profile"):
        assert SECRET not in bert.get(path).content.decode()
    assert snapshot(anna) == before


def test_a_name_in_the_request_never_changes_whose_memory_it_is(anna, bert):
    anna.author("salary", SECRET)
    annas_profile = str(anna.who.profile_id)
    for name in ("anna", annas_profile, str(anna.who.user_id)):
        seen = bert.get("/v1/facts", **{"X-User-Id": name, "X-Caesar-Profile": name, "X-Caesar-User": name})
        assert SECRET not in seen.content.decode()
        for field in ("user", "user_id", "profile", "profile_id"):
            assert bert.post("/v1/facts", {"value": "hello", field: name}).status_code == 400
            assert bert.get(f"/v1/facts?{field}={name}").status_code == 400
    bert.post("/v1/facts", {"value": "berts"}, **{"X-Caesar-Profile": "anna"})
    assert [f["value"] for f in anna.get("/v1/facts").json()["results"]] == [SECRET]


def test_a_cursor_of_one_person_is_worth_nothing_to_another(anna, bert):
    for number in range(3):
        anna.author(None, f"{SECRET} {number}")
    mine = anna.get("/v1/facts?page_size=1").json()["next"]
    assert bert.get(mine).json()["results"] == []


def same(api, method, path, nobodys, body=None):
    sent = body if method in ("POST", "PATCH") else None
    theirs, unknown = api.call(method, path, sent), api.call(method, nobodys, sent)
    assert theirs.status_code == 404
    assert (theirs.status_code, theirs.content) == (unknown.status_code, unknown.content)


def snapshot(api):
    with profile_scope(api.who.profile_id):
        return [list(model.objects.order_by("pk").values()) for model in (Fact, AuditLog, Space, WorkItem, Profile)]


def test_two_people_who_take_turns_are_never_mixed_up(anna, bert):
    profiles.update(profile_id=bert.who.profile_id, changes={"language": "fi"})
    anna.author("salary", SECRET)
    bert.author("salary", "45k")
    for _ in range(50):
        assert [f["value"] for f in bert.get("/v1/facts").json()["results"]] == ["45k"]
        assert [f["value"] for f in anna.get("/v1/facts").json()["results"]] == [SECRET]
