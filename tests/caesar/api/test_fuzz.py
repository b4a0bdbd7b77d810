"""Whatever is sent to a route is taken or refused, in the words and with the status that the schema describes."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.caesar.api.conftest import Api
from tests.people import person

METHODS = ("get", "post", "patch", "delete", "put")
# Those are served beside Django; `tests/caesar/chat` and `tests/caesar/test_embeddings.py` ask them.
ELSEWHERE = ("/v1/chat", "/v1/chat/completions", "/v1/embeddings")
# What any route may say of a body, which the schema does not repeat for each.
OF_BODIES = {413, 415}
ODD = st.sampled_from(
    [
        *("", " ", "\0", "a\0b", "%", "_", "\\", "'; --", "../..", "null", "-1", "9" * 30, "1e400", "NaN", "٣"),
        *("\u202e", "𝒳", "x" * 3_000, "é" * 200, "general", "default", "dog.name", "true", "b3JkZXI=", "<script>"),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-13-45"),
        "00000000-0000-0000-0000-000000000000",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64) | st.floats(allow_nan=False) | ODD | st.text(max_size=20),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(ODD, children, max_size=3),
    max_leaves=6,
)


@cache
def schema() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True))


@cache
def operations() -> list[tuple[str, str]]:
    return [
        (method, path)
        for path, item in schema()["paths"].items()
        for method in METHODS
        if method in item and path not in ELSEWHERE
    ]


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        found: Any = schema()
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def fitting(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows, more or less."""
    node = resolved(node)
    for name in ("allOf", "oneOf", "anyOf"):
        if name in node:
            return st.one_of([fitting(part) for part in node[name]])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    match node.get("type"):
        case "object":
            return st.fixed_dictionaries(
                {}, optional={name: fitting(part) | VALUES for name, part in node.get("properties", {}).items()}
            )
        case "array":
            return st.lists(fitting(node.get("items", {})), max_size=2)
        case "integer":
            return st.integers(-1, 1_000)
        case "number":
            return st.sampled_from([0, 0.5, 1])
        case "boolean":
            return st.booleans()
    return ODD | st.text(max_size=20)


@st.composite
def requests(draw: st.DrawFn, ids: list[str]) -> tuple[str, str, str, Any]:
    """Method, path as the schema writes it, address, body."""
    method, path = draw(st.sampled_from(operations()))
    operation = schema()["paths"][path][method]
    address, query = path, []
    for raw in operation.get("parameters", []):
        parameter = resolved(raw)
        if parameter["in"] == "path":
            name = draw(st.sampled_from(ids) | ODD) or "x"
            address = address.replace("{" + parameter["name"] + "}", quote(name, safe=""))
        elif parameter["in"] == "query" and draw(st.booleans()):
            query.append((parameter["name"], str(draw(fitting(parameter["schema"]) | ODD))))
    if draw(st.integers(0, 9)) == 0:
        query.append((draw(ODD) or "x", draw(ODD)))
    body = None
    if "requestBody" in operation:
        (content,) = list(operation["requestBody"]["content"].values())[:1]
        body = draw(fitting(content.get("schema", {})) | VALUES)
    return method.upper(), path, address + ("?" + urlencode(query) if query else ""), body


def some_ids(anna: Api) -> list[str]:
    """Ids of things that are there."""
    fact = anna.author("dog.name", "Beans")
    anna.author("city", "Tartu")
    anna.post("/v1/spaces", {"slug": "work"})
    return [fact["id"], "general", "work", "1", "2", "dog.name"]


def documented(method: str, path: str) -> set[int]:
    return {int(status) for status in schema()["paths"][path][method.lower()]["responses"]}


def test_it_answers_as_the_schema_says(database: Any) -> None:
    anna = Api(person("anna"))
    ids = some_ids(anna)

    @settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
    @given(asked=requests(ids))
    def play(asked: tuple[str, str, str, Any]) -> None:
        method, path, address, body = asked
        answer = anna.call(method, address, body)
        allowed = documented(method, path) | OF_BODIES
        assert answer.status_code in allowed, (asked, answer.status_code, answer.content[:300])
        if answer.status_code >= 400 and path.startswith("/v1"):
            error = answer.json()["error"]
            assert error["code"].isidentifier(), asked
            assert 10 < len(error["message"]) <= 1_000, asked
        answer.close()

    play()
