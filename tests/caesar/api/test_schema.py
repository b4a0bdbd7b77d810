"""GET /schema/ and /docs/."""

import json

import pytest
import yaml
from django.test import Client
from django.urls import get_resolver
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from caesar.api.facts import FactSerializer
from tests.caesar.api.test_facts import FIELDS


@pytest.fixture
def schema(capsys):
    GENERATOR_STATS.reset()
    made = SchemaGenerator().get_schema(request=None, public=True)
    assert not GENERATOR_STATS._warn_cache, capsys.readouterr().err
    assert not GENERATOR_STATS._error_cache, capsys.readouterr().err
    return made


def test_it_is_valid_and_made_without_a_warning(schema):
    validate_schema(schema)


def test_it_has_every_route(schema):
    api = next(p for p in get_resolver().url_patterns if str(p.pattern) == "v1/")
    served = {"/v1/" + str(p.pattern).replace("<str:", "{").replace(">", "}") for p in api.url_patterns}
    by_hand = {"/v1/chat", "/v1/chat/completions", "/v1/embeddings", "/healthz", "/readyz", "/metrics"}
    assert set(schema["paths"]) == served | by_hand


def test_it_has_a_word_on_every_route(schema):
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert operation["operationId"]
            assert "200" in operation["responses"] or {"201", "204"} & set(operation["responses"])


def test_it_describes_a_fact_as_it_is(schema):
    assert set(schema["components"]["schemas"]["Fact"]["properties"]) == FIELDS == set(FactSerializer().fields)


def test_it_is_served_with_its_page(database):
    client = Client()
    served = client.get("/schema/")
    assert served.status_code == 200
    assert yaml.safe_load(served.content)["info"]["title"] == "CAESAR memory"
    assert json.loads(client.get("/schema/?format=json").content)["openapi"].startswith("3.")
    page = client.get("/docs/")
    assert page.status_code == 200
    assert b"//cdn" not in page.content
    assert b"https://" not in page.content
