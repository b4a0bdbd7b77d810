"""GET /v1/entities, GET /v1/entities/{id} and GET /v1/facts?entity=…"""

import uuid

import pytest

FIELDS = {"id", "kind", "name", "aliases", "fact_count", "first_mentioned_at", "last_mentioned_at"}


@pytest.fixture
def household(anna):
    anna.author("dog.name", "Beans")
    anna.author("dog.age", "3")
    anna.author("spouse.name", "Mia")
    anna.author("work.employer", "Acme GmbH")
    anna.author(None, "Acme's fiscal year ends in March")
    anna.author("preference.tea", "green")
    return anna


def listed(api, query=""):
    response = api.get(f"/v1/entities{query}")
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_it_lists_who_and_what_the_facts_are_about(household):
    found = listed(household)
    assert [set(each) for each in found] == [FIELDS] * 3
    assert [(e["kind"], e["name"], e["aliases"], e["fact_count"]) for e in found] == [
        ("organisation", "Acme GmbH", ["employer"], 2),
        ("person", "Mia", ["spouse"], 1),
        ("pet", "Beans", ["dog"], 2),
    ]
    assert found[2]["first_mentioned_at"] < found[2]["last_mentioned_at"]
    assert found[2]["last_mentioned_at"].endswith("Z")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?kind=pet", {"Beans"}),
        ("?kind=place", set()),
        ("?q=bea", {"Beans"}),
        ("?q=dog", {"Beans"}),
        ("?q=wife", {"Mia"}),
        ("?q=ACME", {"Acme GmbH"}),
        ("?q=acme%20inc.", set()),
        ("?q=%25", set()),
        ("?q=nobody", set()),
        ("?kind=pet&q=mia", set()),
    ],
)
def test_it_narrows_the_list(household, query, names):
    assert {each["name"] for each in listed(household, query)} == names


def test_it_pages(household):
    first = household.get("/v1/entities?page_size=2").json()
    assert [e["name"] for e in first["results"]] == ["Acme GmbH", "Mia"]
    second = household.get(first["next"].partition("testserver")[2]).json()
    assert [e["name"] for e in second["results"]] == ["Beans"]
    assert second["next"] is None


@pytest.mark.parametrize("query", ["?kind=planet", "?page_size=0", "?name=Beans", "?q=a&q=b", "?cursor=x"])
def test_it_refuses_what_makes_no_sense(household, query):
    assert household.get(f"/v1/entities{query}").status_code == 400


def test_it_shows_one_with_its_facts_the_current_ones_first(household):
    (dog,) = listed(household, "?kind=pet")
    age = next(f for f in household.get("/v1/facts").json()["results"] if f["key"] == "dog.age")
    household.patch(f"/v1/facts/{age['id']}", {"value": "4"})
    shown = household.get(f"/v1/entities/{dog['id']}").json()
    assert set(shown) == FIELDS | {"facts"}
    assert [(f["key"], f["value"], f["valid_to"] is None) for f in shown["facts"]] == [
        ("dog.age", "4", True),
        ("dog.name", "Beans", True),
        ("dog.age", "3", False),
    ]
    assert {f["entity"] for f in shown["facts"]} == {dog["id"]}


@pytest.mark.parametrize("wanted", ["Acme", "acme inc", "ACME", "what do we know about Acme?", "my employer"])
def test_it_lists_the_facts_of_what_is_called_so(household, wanted):
    found = household.get(f"/v1/facts?entity={wanted}").json()["results"]
    assert [f["value"] for f in found] == ["Acme's fiscal year ends in March", "Acme GmbH"]


def test_it_lists_the_facts_of_an_id(household):
    (dog,) = listed(household, "?kind=pet")
    found = household.get(f"/v1/facts?entity={dog['id']}&key=dog.age").json()["results"]
    assert [f["value"] for f in found] == ["3"]
    for unknown in (uuid.uuid4(), "Globex", "%25", "?"):
        assert household.get(f"/v1/facts?entity={unknown}").json()["results"] == []


def test_one_person_never_sees_anothers(household, bert):
    (dog,) = listed(household, "?kind=pet")
    assert listed(bert) == []
    mine, random = bert.get(f"/v1/entities/{dog['id']}"), bert.get(f"/v1/entities/{uuid.uuid4()}")
    assert (mine.status_code, mine.json()) == (404, random.json())
    assert bert.get(f"/v1/facts?entity={dog['id']}").json()["results"] == []
    assert bert.get("/v1/facts?entity=Beans").json()["results"] == []
    assert bert.get("/v1/entities/beans").status_code == 404


def test_it_asks_for_a_key(nobody):
    assert nobody.get("/v1/entities").status_code == 401
    assert nobody.get(f"/v1/entities/{uuid.uuid4()}").status_code == 401


def test_a_deleted_name_is_gone_from_every_read(household):
    (dog,) = listed(household, "?kind=pet")
    name = next(f for f in household.get("/v1/facts").json()["results"] if f["key"] == "dog.name")
    household.delete(f"/v1/facts/{name['id']}")
    assert "Beans" not in household.get("/v1/entities").content.decode()
    assert "Beans" not in household.get(f"/v1/entities/{dog['id']}").content.decode()
    assert household.get("/v1/facts?entity=Beans").json()["results"] == []


@pytest.mark.parametrize("count", [2, 20])
def test_it_asks_as_often_for_many_as_for_few(anna, count, django_assert_num_queries):
    for number in range(count):
        anna.author(f"project.p{number}.status", "green")
    anna.get("/v1/entities")
    with django_assert_num_queries(11):
        assert len(listed(anna)) == count
