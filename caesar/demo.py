"""The Monday and Thursday story, played against a running server and shown step by step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from caesar.calling import CallFailed, Server

MONDAY = "Hey CAESAR — by the way my dog's name is Beans."
THURSDAY = "What should I get Beans for his birthday?"
PATIENCE_SECONDS = 90.0


class DemoFailed(CallFailed):
    """The story could not be played to its end; the message says why."""


class Demo:
    """Plays with a profile of its own, so that nobody's memory is touched, and erases it in the end.

    `wake` asks the worker to look for finished chats now instead of at its next poll; `say` prints a line; with
    `keep` the profile stays, to be looked at.
    """

    def __init__(
        self, *, url: str, key: str, wake: Callable[[], None], say: Callable[[str], None], keep: bool = False
    ) -> None:
        self.profile = f"demo {datetime.now():%Y-%m-%d %H:%M:%S.%f}"
        self._wake, self._say, self._keep = wake, say, keep
        self._server = Server(url=url, key=key, profile=self.profile)
        self._call = self._server.call

    def play(self) -> None:
        """From told to known. Raises CallFailed."""
        with self._server:
            self._set_up()
            try:
                self._monday()
                self._meanwhile()
                self._thursday()
            finally:
                self._tidy_up()

    def _set_up(self) -> None:
        self._call("PATCH", "/v1/profile", {"memory_enabled": True, "summaries_enabled": True})
        self._say(f"A profile for this story: {self.profile!r}, memory on.\n")

    def _tidy_up(self) -> None:
        if self._keep:
            self._say(f"The profile {self.profile!r} is kept.")
            return
        self._call("DELETE", "/v1/profile", {"confirm": self.profile})
        self._say("The profile of this story is erased again (`make demo ARGS=--keep` keeps it).")

    def _monday(self) -> None:
        self._step("Monday: something is mentioned in passing")
        answer = self._chat(MONDAY)
        self._show("you", MONDAY)
        self._show(answer["model"], answer["message"]["content"])
        self._say(
            f"  audit row {answer['audit_log_id']} chat.completed is written; the answer did not wait for memory.\n"
        )

    def _meanwhile(self) -> None:
        self._step("Meanwhile: a worker reads the chat")
        self._say("  It looks for finished chats at an interval; this story asks it to look now.")
        started = time.monotonic()
        fact = self._wait_for_fact()
        self._say(f"  After {time.monotonic() - started:.1f} s there is a fact:")
        shown = ("key", "value", "confidence", "status", "quote", "source_audit_id")
        self._say("    " + json.dumps({name: fact[name] for name in shown}, ensure_ascii=False))
        self._say("  What happened, from the audit log:")
        for row in reversed(self._call("GET", "/v1/audit")["results"]):
            self._say(f"    {row['at'][:19]}  {row['event_type']}")
        self._say("")

    def _thursday(self) -> None:
        self._step("Thursday: another conversation, no history sent")
        block = self._call("POST", "/v1/context", {"query": THURSDAY})["block"]
        self._say("  What the model is given with the question:")
        for line in block.splitlines():
            self._say(f"    | {line}")
        answer = self._chat(THURSDAY)
        self._show("you", THURSDAY)
        self._show(answer["model"], answer["message"]["content"])
        if not any("Beans" in fact["text"] for fact in answer["memory"]["facts"]):
            raise DemoFailed("Thursday's chat was not given the fact: look at /readyz.")
        self._say("\nTold on Monday, known on Thursday.")

    def _wait_for_fact(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            self._wake()
            for _ in range(10):
                time.sleep(0.3)
                found = self._call("GET", "/v1/facts")["results"]
                match = [fact for fact in found if "Beans" in fact["value"]]
                if match:
                    return dict(match[0])
        raise DemoFailed(
            f"Nothing was learned within {PATIENCE_SECONDS:.0f} s: does a worker run? /readyz and /v1/work say more."
        )

    def _chat(self, text: str) -> dict[str, Any]:
        return self._call("POST", "/v1/chat", {"messages": [{"role": "user", "content": text}]})

    def _step(self, title: str) -> None:
        self._say(f"== {title} ==")

    def _show(self, who: str, text: str) -> None:
        lines = text.splitlines() or [""]
        self._say(f"  {who}: {lines[0]}")
        for line in lines[1:]:
            self._say(f"    {line}")
