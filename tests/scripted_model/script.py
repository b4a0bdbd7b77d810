"""What is answered to which request: rules first, then the queue, then the default."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from tests.scripted_model.embeddings import serves as embeds
from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import Reply, ReplyLike, Status, Text, Vectors, as_reply
from tests.scripted_model.strict import complaint

Match = str | Callable[[Recorded], bool]

NOTHING_LEARNT = Text('{"facts": [], "summary": null}')


class Turns:
    """Replies that are given one after the other; the last one stays."""

    def __init__(self, replies: ReplyLike | Sequence[ReplyLike]) -> None:
        listed = list(replies) if isinstance(replies, list | tuple) else [replies]
        self._left: deque[Any] = deque(listed)

    def next(self) -> ReplyLike:
        return self._left.popleft() if len(self._left) > 1 else self._left[0]  # type: ignore[no-any-return]


class Script:
    """Chooses the reply to a request. Safe to change from another thread while the server answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.strict = False
        self.reset()

    def reset(self) -> None:
        with self._lock:
            self._rules: list[tuple[Match, Turns]] = []
            self._extraction: Turns | None = None
            self._embedding = Turns(Vectors())
            self._queue: deque[ReplyLike] = deque()
            self._default: ReplyLike = Text("ok")

    def default(self, reply: ReplyLike) -> None:
        with self._lock:
            self._default = reply

    def queue(self, replies: Sequence[ReplyLike]) -> None:
        with self._lock:
            self._queue.extend(replies)

    def rule(self, match: Match, replies: ReplyLike | Sequence[ReplyLike]) -> None:
        with self._lock:
            self._rules.insert(0, (match, Turns(replies)))

    def extraction(self, replies: ReplyLike | Sequence[ReplyLike]) -> None:
        with self._lock:
            self._extraction = Turns(replies)

    def embedding(self, replies: ReplyLike | Sequence[ReplyLike]) -> None:
        with self._lock:
            self._embedding = Turns(replies)

    def choose(self, request: Recorded) -> Reply:
        if self.strict and (wrong := complaint(request.messages)):
            return Status(400, wrong, type="invalid_request_error")
        with self._lock:
            chosen = self._pick(request)
        while callable(chosen) and not isinstance(chosen, Reply):
            chosen = chosen(request)
        return as_reply(chosen)

    def _pick(self, request: Recorded) -> ReplyLike:
        for match, turns in self._rules:
            if match in request.text if isinstance(match, str) else match(request):
                return turns.next()
        if embeds(request.path.partition("?")[0]):
            return self._embedding.next()
        if request.is_extraction:
            return self._extraction.next() if self._extraction else NOTHING_LEARNT
        return self._queue.popleft() if self._queue else self._default
