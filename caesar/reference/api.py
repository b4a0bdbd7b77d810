"""docs/reference/api.md: every route, from the OpenAPI schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from caesar.api.docs import MEANINGS
from caesar.reference import markdown as md
from memory.models import Event

Node = Mapping[str, Any]
ABOUT = """\
JSON over HTTP, with `Authorization: Bearer KEY`. The same as OpenAPI: `/schema/`, and `/docs/` as a page to try it on.

A key belongs to an account. It is bound to one profile, or it may name any profile of its account with
`X-Caesar-Profile: NAME` (in chats also OpenAI's field `user`). A name that was never seen makes a profile. Every route
takes that header. Lists are pages of `{next, previous, results}`; `page_size` is 50 where nothing is said, 200 at most.
Times are ISO 8601 with an offset, ids are texts. Unknown parameters and fields are refused, except in
`/v1/chat/completions`, where they are passed on to the model."""
ERRORS = """\
## Errors

An error is `{"error": {"code": …, "message": …, "details": …}}`: the code is for programs, the message for people,
details are there where more is to say."""
EVENT_TYPES = {event.value for event in Event}
METHODS = ("get", "post", "put", "patch", "delete")
GROUPS = {
    "chat": "Chat",
    "facts": "Facts",
    "entities": "Who and what facts are about",
    "keys": "Keys of facts",
    "recall": "Recall",
    "context": "What a chat would be given",
    "episodes": "Summaries",
    "conversations": "Conversations",
    "documents": "Documents",
    "profile": "The person",
    "spaces": "Spaces",
    "audit": "The log",
    "work": "Background work",
    "export": "Export",
    "import": "Import",
    "models": "Models",
    "embeddings": "Embeddings",
    "": "For machines",
}


def page() -> str:
    schema = _with_enums(SchemaGenerator().get_schema(request=None, public=True))
    statuses = md.table(("status", "what it means"), [(str(code), text) for code, text in MEANINGS.items()])
    parts = [f"{ERRORS}\n\n{statuses}"]
    for group, title in GROUPS.items():
        routes = [(path, item) for path, item in schema["paths"].items() if _group(path) == group]
        if routes:
            parts += [f"## {title}", *(text for path, item in routes for text in _routes(schema, path, item))]
    parts += ["## Objects", *(_object(name, node) for name, node in _used(schema))]
    return md.page("API", ABOUT, parts)


def _with_enums(schema: Node) -> Node:
    """The schema with lists of values where they are used, in the place of a name for them."""
    enums = {f"#/components/schemas/{name}": n for name, n in schema["components"]["schemas"].items() if "enum" in n}

    def told(node: Any) -> Any:
        if isinstance(node, list):
            return [told(each) for each in node]
        if isinstance(node, dict):
            return enums.get(node.get("$ref", ""), {name: told(each) for name, each in node.items()})
        return node

    found: Node = told(schema)
    return found


def _group(path: str) -> str:
    return path.split("/")[2] if path.startswith("/v1/") else ""


def _routes(schema: Node, path: str, item: Node) -> Iterator[str]:
    for method in METHODS:
        if method in item:
            yield "\n\n".join(filter(None, _route(schema, f"{method.upper()} {path}", item[method])))


def _route(schema: Node, name: str, route: Node) -> Iterator[str]:
    yield f"### {name}"
    yield md.sentence(route["summary"]) + (f" {md.sentence(route['description'])}" if route.get("description") else "")
    named = [each for each in route.get("parameters", ()) if "$ref" not in each]
    rows = [(md.code(each["name"]), each["in"], kind(each["schema"]), _about(each)) for each in named]
    if rows:
        yield md.table(("parameter", "in", "type", "what it says"), rows)
    for media, each in route.get("requestBody", {}).get("content", {}).items():
        yield f"Body, `{media}`: {kind(each.get('schema', {}), links=True)}."
    good = [text for status, each in route["responses"].items() if status < "300" for text in _good(status, each)]
    bad = [status for status in sorted(route["responses"]) if status >= "400"]
    yield f"Answer: {'; '.join(good)}." + (f" Errors: {', '.join(bad)}." if bad else "")


def _good(status: str, answer: Node) -> Iterator[str]:
    content = answer.get("content", {})
    for media, each in content.items():
        plain = "" if media == "application/json" else f" (`{media}`)"
        yield f"{status} {kind(each.get('schema', {}), links=True)}{plain}"
    if not content:
        yield status


def _about(parameter: Node) -> str:
    return md.sentence(parameter.get("description", "")) + ("" if parameter["in"] == "path" else _must(parameter))


def _must(node: Node) -> str:
    return " Must be there." if node.get("required") else ""


def _used(schema: Node) -> Iterator[tuple[str, Node]]:
    for name, node in sorted(schema["components"]["schemas"].items()):
        if node.get("properties") and not name.startswith("PageOf"):
            yield name, node


def _object(name: str, node: Node) -> str:
    required = set(node.get("required", ()))
    rows = [
        (md.code(field), kind(each, links=True), md.sentence(each.get("description", "")), "yes" * (field in required))
        for field, each in node["properties"].items()
    ]
    about = md.sentence(node.get("description", ""))
    table = md.table(("field", "type", "what it says", "always"), rows)
    return "\n\n".join(filter(None, (f"### {name}", about, table)))


def kind(node: Node, *, links: bool = False) -> str:
    """A type of the schema in words; with `links`, names of objects lead to where they are described."""
    if "$ref" in node:
        return _named(node["$ref"].rsplit("/", 1)[1], links)
    for together in ("oneOf", "allOf", "anyOf"):
        if together in node:
            kinds = [kind(each, links=links) for each in node[together] if each]
            return " or ".join(dict.fromkeys(each for each in kinds if each)) + _or_null(node)
    if set(node.get("enum", ())) >= EVENT_TYPES:
        return "[a type of event](events.md)" if links else "a type of event"
    if node.get("enum"):
        return ", ".join(md.code(str(value)) for value in node["enum"] if value not in (None, "")) + _or_null(node)
    if node.get("type") == "array":
        return f"list of {kind(node.get('items', {}), links=links)}" + _or_null(node)
    if node.get("type") == "object" and isinstance(node.get("additionalProperties"), dict):
        return f"object of {kind(node['additionalProperties'], links=links) or 'anything'}" + _or_null(node)
    if node.get("type") == "object" and node.get("properties"):
        return "object of " + ", ".join(map(md.code, node["properties"]))
    names = {"string": str(node.get("format") or "text"), "boolean": "`true` or `false`"}
    plain = str(node.get("type", "anything"))
    return names.get(plain, plain) + _or_null(node)


def _named(name: str, links: bool) -> str:
    if name.startswith("PageOf"):
        return f"page of {_named(name.removeprefix('PageOf'), links)}"
    return f"[{name}](#{name.lower()})" if links else name


def _or_null(node: Node) -> str:
    return " or null" if node.get("nullable") else ""
