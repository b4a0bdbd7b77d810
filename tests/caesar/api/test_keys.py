"""GET, POST /v1/keys, DELETE /v1/keys/{alias}, /v1/keys/merges with accept and dismiss."""

import pytest

from memory import identities

PAIR = {"alias": "project.atlas.launch", "key": "project.atlas.launch_date"}


@pytest.fixture
def twice(anna):
    anna.author(PAIR["key"], "May 2027")
    anna.author(PAIR["alias"], "June 2027")
    anna.author("dog.name", "Beans")
    return anna


def listed(api, query=""):
    response = api.get(f"/v1/keys{query}")
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_it_lists_the_keys_in_use_with_their_values(twice):
    twice.author("dog.name", "Rex")
    found = listed(twice)
    assert [(each["key"], each["facts"], each["values"]) for each in found] == [
        ("dog.name", 2, ["Rex", "Beans"]),
        (PAIR["alias"], 1, ["June 2027"]),
        (PAIR["key"], 1, ["May 2027"]),
    ]
    assert set(found[0]) == {"key", "facts", "waiting", "values", "aliases", "last_said_at"}
    assert [each["key"] for each in listed(twice, "?q=DOG")] == ["dog.name"]


def test_it_reads_one_spelling_as_another(twice):
    made = twice.post("/v1/keys", {"alias": "Project:Atlas/launch", "key": "project/atlas/launch-date"})
    assert (made.status_code, made.json()) == (201, {**PAIR, "moved": 1})
    (found,) = listed(twice, "?q=atlas")
    assert (found["key"], found["values"], found["aliases"]) == (PAIR["key"], ["June 2027"], [PAIR["alias"]])
    facts = twice.get(f"/v1/facts?key={PAIR['key']}&include_superseded=true").json()["results"]
    assert [(f["value"], f["valid_to"] is None) for f in facts] == [("June 2027", True), ("May 2027", False)]
    assert twice.author(PAIR["alias"], "July 2027")["key"] == PAIR["key"]


def test_it_takes_an_alias_back(twice):
    twice.post("/v1/keys", PAIR)
    assert twice.delete(f"/v1/keys/{PAIR['alias']}").status_code == 204
    assert twice.author(PAIR["alias"], "from the pad")["key"] == PAIR["alias"]
    assert twice.delete(f"/v1/keys/{PAIR['alias']}").status_code == 404
    assert twice.delete("/v1/keys/%00%25").status_code == 404


def test_it_proposes_a_merge_and_does_what_it_is_told(twice):
    (merge,) = twice.get("/v1/keys/merges").json()["results"]
    assert merge["why"] == "part"
    assert (merge["alias"]["key"], merge["alias"]["values"]) == (PAIR["alias"], ["June 2027"])
    assert (merge["key"]["key"], merge["key"]["values"]) == (PAIR["key"], ["May 2027"])
    done = twice.post("/v1/keys/merges/accept", PAIR)
    assert (done.status_code, done.json()["moved"]) == (200, 1)
    assert twice.get("/v1/keys/merges").json()["results"] == []


def test_it_asks_no_more_after_a_no(twice):
    assert twice.post("/v1/keys/merges/dismiss", PAIR).status_code == 204
    assert twice.post("/v1/keys/merges/dismiss", PAIR).status_code == 204
    assert twice.get("/v1/keys/merges").json()["results"] == []
    assert len(twice.get("/v1/facts").json()["results"]) == 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"alias": "a.b"}, 400),
        ({"alias": "", "key": "a"}, 400),
        ({"alias": "12", "key": "a"}, 400),
        ({"alias": ["a"], "key": "b"}, 400),
        ({"alias": "a.b", "key": "c.d", "profile": "anna"}, 400),
        ({"alias": "A-b", "key": "a_b"}, 409),
    ],
)
@pytest.mark.parametrize("path", ["/v1/keys", "/v1/keys/merges/accept", "/v1/keys/merges/dismiss"])
def test_it_refuses_what_makes_no_sense(anna, path, body, status):
    response = anna.post(path, body)
    assert response.status_code == status, response.content
    assert set(response.json()) == {"error"}


def test_it_goes_round_nowhere(anna):
    anna.post("/v1/keys", {"alias": "a.first", "key": "b.second"})
    for body in ({"alias": "b.second", "key": "a.first"}, {"alias": "a.first", "key": "c.third"}):
        assert anna.post("/v1/keys", body).status_code == 409


def test_keys_and_aliases_are_each_persons_own(twice, bert):
    twice.post("/v1/keys", PAIR)
    assert listed(bert) == []
    assert bert.delete(f"/v1/keys/{PAIR['alias']}").status_code == 404
    assert bert.author(PAIR["alias"], "May")["key"] == PAIR["alias"]
    assert len(listed(twice)[0]["aliases"]) + len(listed(twice)[1]["aliases"]) == 1


@pytest.mark.parametrize("path", ["/v1/keys", "/v1/keys/merges"])
def test_it_asks_for_a_key_of_the_api(nobody, path):
    assert nobody.get(path).status_code == 401


def test_it_refuses_unknown_filters(anna):
    assert anna.get("/v1/keys?kind=x").status_code == 400
    assert anna.get("/v1/keys/merges?q=x").status_code == 400


@pytest.mark.parametrize("count", [2, 40])
def test_it_asks_as_often_for_many_as_for_few(anna, count, django_assert_num_queries):
    for number in range(count):
        anna.author(f"note.part{number}", "x")
    listed(anna)
    with django_assert_num_queries(10):
        assert len(listed(anna)) == count
    identities.kept()  # looked up by whoever asks first, then known for some seconds
    with django_assert_num_queries(15):
        anna.get("/v1/keys/merges")
