"""The route in this process, with a scripted provider behind it: what it is asked is what a client sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from memory.config import LLM, Semantic
from memory.llm import quirks
from tests.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from tests.people import Person

KEY = "k-7f3Qx9-very-secret"
Ask = Callable[..., httpx.Response]


@pytest.fixture
def anna(database: Postgres) -> Person:
    from tests.people import person

    return person("anna")


@pytest.fixture
def provider(model: ScriptedModel, settings: Any) -> Iterator[Callable[..., None]]:
    """`provider("voyage", model="voyage-3.5")` puts an embedder in force, which is reached at the scripted model."""
    quirks.forget_all()

    def configure(name: str, *, timeout: float = 5.0, **semantic: Any) -> None:
        llm = {"openai": {"api_key": KEY, "base_url": model.url}, "ollama": {"base_url": model.root}}
        chosen = {
            "llm": LLM.model_validate({**llm, "timeout_seconds": timeout}),
            "semantic": Semantic.model_validate({"provider": name, **semantic}),
        }
        settings.CAESAR = settings.CAESAR.model_copy(update=chosen)

    yield configure
    quirks.forget_all()


@pytest.fixture
def ask(anna: Person) -> Ask:
    """A request by Anna's key, answered in this process: fields of the body, and headers."""

    def send(*, headers: dict[str, str] | None = None, content: bytes | None = None, **body: Any) -> httpx.Response:
        return asyncio.run(_post({**anna.auth, **(headers or {})}, content, body))

    return send


async def _post(headers: dict[str, str], content: bytes | None, body: dict[str, Any]) -> httpx.Response:
    from caesar.embeddings.app import PATH, embeddings

    transport = httpx.ASGITransport(app=embeddings)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver", timeout=60) as client:
        sent: dict[str, Any] = {"json": body} if content is None else {"content": content}
        return await client.post(PATH, headers=headers, **sent)
