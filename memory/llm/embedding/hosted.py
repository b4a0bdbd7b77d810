"""Embedding models behind an API, through litellm."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import ModelError, ModelMisconfigured, ModelRefusedRequest
from memory.llm import library, loop, params, quirks
from memory.llm.embedding import known
from memory.llm.embedding.known import Kind
from memory.llm.errors import nonsense, translate
from memory.llm.routing import Route
from memory.llm.usage import Usage

DIMENSIONS = "dimensions"
# Who asked a question has long gone on; its thread is wanted back.
QUERY_SECONDS = 5.0


class Hosted:
    """A model at a provider. Its own limit of tokens holds; 4,000 characters stay below it nearly everywhere."""

    lanes = 8
    most_texts = 64

    def __init__(self, route: Route, dim: int | None) -> None:
        self.name = route.identity
        self._route = route
        self._known = known.model(route.model)
        self._fields = known.provider(route.provider)
        self._dim = dim

    def load(self) -> None:
        """Imports litellm, which takes seconds. Asks nobody. Raises ModelMisconfigured."""
        if self._route.provider == "voyage" and not self._route.api_key:
            raise ModelMisconfigured(
                "Voyage wants a key: set CAESAR_SEMANTIC__VOYAGE_API_KEY.", provider="voyage", model=self._route.model
            )
        library.load()

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Any]:
        """A list of numbers for each text, as they came. Raises ModelError."""
        prefix = self._known.prefix(kind)
        given = [prefix + text for text in texts]
        asked = self._asked()
        if asked is None:
            return self._ask(given, kind, None)
        try:
            found = self._ask(given, kind, asked)
        except ModelRefusedRequest:
            if self._known.asks is not None or quirks.takes(self._route, DIMENSIONS):
                raise
        else:
            quirks.remember(self._route, DIMENSIONS, taken=True)
            return found
        # Refused, perhaps for naming a length alone: once more without. What comes is checked anyway.
        found = self._ask(given, kind, None)
        quirks.remember(self._route, DIMENSIONS, taken=False)
        return found

    def tokens(self, texts: Sequence[str]) -> int:
        """0: the provider counts, and says so with the vectors."""
        return 0

    def _asked(self) -> int | None:
        """The length that the provider is asked for; None where it is not to be asked."""
        if self._dim is None or self._dim == self._known.dim or quirks.takes(self._route, DIMENSIONS) is False:
            return None
        if self._known.dim is not None and self._known.asks is None:
            return None
        if self._route.speaks_openai:
            return self._dim
        supported = library.load().get_supported_openai_params(
            model=self._route.model, custom_llm_provider=self._route.provider, request_type="embeddings"
        )
        return self._dim if DIMENSIONS in (supported or ()) else None

    async def plain(self, inputs: Sequence[Any], more: Mapping[str, Any]) -> tuple[list[Any], int]:
        """A list of numbers for each text or array of tokens, exactly as a client sent them; and the tokens counted.

        more: what else the client says. Providers that speak OpenAI's protocol are told all of it, others what
        litellm can say in their words. Load it first. Raises ModelError.
        """
        call = self._call(list(inputs), "plain", self._asked())
        if self._route.speaks_openai:
            call["extra_body"] = dict(more)
        elif isinstance(more.get("input_type"), str):
            call["input_type"] = more["input_type"]
        return await _bounded(call, self._route)

    def _call(self, inputs: list[Any], kind: Kind, dimensions: int | None) -> dict[str, Any]:
        call = params.connection(self._route)
        call.update(model=f"{self._route.provider}/{self._route.model}", input=inputs, **self._fields.fields(kind))
        if self._route.speaks_openai:
            # Else the client library asks for another encoding, which servers of one's own do not all know.
            call["encoding_format"] = "float"
            call["allowed_openai_params"] = [DIMENSIONS]
        if dimensions is not None:
            call[DIMENSIONS] = dimensions
        return call

    def _ask(self, texts: list[str], kind: Kind, dimensions: int | None) -> list[Any]:
        call = self._call(texts, kind, dimensions)
        route = self._route
        if kind == "query":
            route = replace(route, timeout_seconds=min(QUERY_SECONDS, route.timeout_seconds))
        # Here and not inside: the first import must not eat up the time of the call.
        library.load()
        return loop.run(_bounded(call, route))[0]


async def _bounded(call: dict[str, Any], route: Route) -> tuple[list[Any], int]:
    failure: ModelError
    try:
        async with asyncio.timeout(route.timeout_seconds):
            response = await library.load().aembedding(**call)
        return _rows(response, route), _tokens(response)
    except Exception as error:
        failure = translate(error, route)
    # Outside the handler: litellm's exception holds the request, and with it the key.
    raise failure


def _rows(response: Any, route: Route) -> list[Any]:
    """The vectors in the order of the texts."""
    data = getattr(response, "data", None)
    if not isinstance(data, list):
        raise nonsense("it gave no vectors", route)
    items = [(_get(each, "index"), _get(each, "embedding")) for each in data]
    indexes = [index for index, _ in items]
    if all(isinstance(index, int) for index in indexes) and sorted(indexes) == list(range(len(items))):
        items.sort(key=lambda item: item[0])
    return [row for _, row in items]


def _tokens(response: Any) -> int:
    """As the provider counted; 0 where it did not say."""
    counted: Any = getattr(response, "usage", None)
    usage = Usage.of(counted.model_dump() if hasattr(counted, "model_dump") else counted)
    return usage.input_tokens or usage.total_tokens or 0


def _get(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)
