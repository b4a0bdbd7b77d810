"""The scripted model in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import ReplyLike
from tests.scripted_model.script import Match
from tests.scripted_model.server import Server


class ScriptedModel:
    """An OpenAI-compatible server (also Anthropic's and Ollama's routes) that answers as it is told.

    Order: rules (`on`, newest first), then our own extraction calls (`extraction`; unset: nothing learnt),
    then the queue (`script`), then the default (`reply`; unset: "ok"). A request for embeddings is answered by
    `embedding` (unset: vectors made of the words). A list of replies is given one by one; of rules, extraction
    and embedding the last one stays. A reply is a str, a dict (whole body), a `Reply`, or a
    function of the request.

        with ScriptedModel() as model:
            model.reply("Hello").script([Status(429, headers={"Retry-After": "1"}), "fine"])
            ... # CAESAR_LLM__OPENAI__BASE_URL = model.url
            assert model.requests[0].json["messages"] == [...]
    """

    def __init__(self, *, port: int = 0, strict: bool = False) -> None:
        self._server = Server()
        self._server.script.strict = strict
        self._port = port
        self._ready = threading.Event()
        self._failed: BaseException | None = None

    def __enter__(self) -> ScriptedModel:
        self._thread = threading.Thread(target=self._run, name="scripted-model", daemon=True)
        self._thread.start()
        self._ready.wait(10)
        if self._failed is not None:
            raise self._failed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        try:
            await self._server.start(self._port)
        except BaseException as error:
            self._failed = error
            return
        finally:
            self._ready.set()
        await self._ending.wait()
        await self._server.stop()

    def stop(self) -> None:
        """Closes the port and every open connection; from then on callers are refused."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join(10)

    # what to answer ---------------------------------------------------------------------------------------
    def reply(self, reply: ReplyLike) -> ScriptedModel:
        self._server.script.default(reply)
        return self

    def script(self, replies: Sequence[ReplyLike]) -> ScriptedModel:
        self._server.script.queue(replies)
        return self

    def on(self, match: Match, replies: ReplyLike | Sequence[ReplyLike]) -> ScriptedModel:
        self._server.script.rule(match, replies)
        return self

    def extraction(self, replies: ReplyLike | Sequence[ReplyLike]) -> ScriptedModel:
        self._server.script.extraction(replies)
        return self

    def embedding(self, replies: ReplyLike | Sequence[ReplyLike]) -> ScriptedModel:
        self._server.script.embedding(replies)
        return self

    def reset(self) -> ScriptedModel:
        self._server.script.reset()
        self._server.requests.clear()
        self._server.counts.clear()
        return self

    # what came --------------------------------------------------------------------------------------------
    @property
    def url(self) -> str:
        """The base URL of an OpenAI-compatible provider, ending in /v1."""
        return self._server.url

    @property
    def root(self) -> str:
        """The base URL without /v1 (Anthropic, Ollama)."""
        return self._server.url.removesuffix("/v1")

    @property
    def requests(self) -> list[Recorded]:
        return list(self._server.requests)

    @property
    def chats(self) -> list[Recorded]:
        return [r for r in self.requests if not r.is_extraction and not r.inputs]

    @property
    def embeddings(self) -> list[Recorded]:
        return [r for r in self.requests if r.inputs]

    @property
    def extractions(self) -> list[Recorded]:
        return [r for r in self.requests if r.is_extraction]

    @property
    def open_connections(self) -> int:
        return len(self._server.connections)

    @property
    def open_answers(self) -> int:
        return self._server.open_answers

    @property
    def most_open_answers(self) -> int:
        return self._server.most_open_answers

    def wait_for(self, condition: Callable[[ScriptedModel], bool], seconds: float = 5.0) -> None:
        """Returns as soon as the condition holds; AssertionError after `seconds`."""
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end:
                raise AssertionError(f"the scripted model saw nothing of the kind within {seconds} s")
            time.sleep(0.005)
