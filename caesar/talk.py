"""A conversation with a running server, turn by turn, with what memory gave for it and learned from it."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from caesar.calling import CallFailed, Server, lines_of
from memory.domain.text import was_cut

MOST_SHOWN = 3  # notes that are told in words; the others are counted
MOST_ROWS = 50  # of the log that are looked at after an answer
MOST_TURNS = 200
MOST_EPISODES = 200
# What a reading of a chat does to what is known, in a word.
LEARNED = {
    "memory.fact.added": "learned",
    "memory.fact.updated": "changed",
    "memory.fact.proposed": "waits for your word",
    "memory.fact.retracted": "no longer so",
    "memory.fact.deleted": "forgotten",
}


@dataclass(frozen=True)
class Given:
    """What memory gave for an answer: the most to the point in words, and how many notes there were in all."""

    notes: tuple[str, ...] = ()
    count: int = 0
    failed: bool = False


class Talk:
    """One conversation. `conversation` is its id, once it has one: off the record it never does."""

    def __init__(
        self, server: Server, *, space: str | None = None, off_record: bool = False, conversation: str | None = None
    ) -> None:
        self.conversation = conversation
        self._server = server
        self._space, self._off_record = space, off_record
        self._messages: list[dict[str, str]] = []
        self._seen: set[str] = set()
        self._audit_id = ""

    def go_on(self) -> int:
        """Take up what was said in the conversation before, for the model to see. Returns how many turns."""
        rows = self._rows(MOST_TURNS)
        self._seen = {row["id"] for row in rows}
        turns = [turn for row in reversed(rows) if row["event_type"] == "chat.completed" for turn in _said(row)]
        self._messages = turns
        return sum(turn["role"] == "user" for turn in turns)

    def say(self, text: str) -> Generator[str, None, None]:
        """The pieces of the answer as they come. Raises CallFailed; what was not answered at all was not said."""
        self._messages.append({"role": "user", "content": text})
        answer = ""
        try:
            for piece in self._answer():
                answer += piece
                yield piece
        finally:
            if answer:
                self._messages.append({"role": "assistant", "content": answer})
            else:
                self._messages.pop()

    def ask(self, text: str) -> dict[str, Any]:
        """The whole answer as `POST /v1/chat` gives it. Raises CallFailed."""
        messages = [*self._messages, {"role": "user", "content": text}]
        return self._server.call("POST", "/v1/chat", {"messages": messages, **self._extension()})

    def after(self) -> tuple[Given, list[str]]:
        """What memory gave for the last answer, and what was learned from the conversation since the one before."""
        rows = self._rows()
        chat = next((row["payload"] for row in rows if row["id"] == self._audit_id), None)
        return Given() if chat is None else self._given(chat), self._learned(rows)

    def learned(self) -> list[str]:
        """What was learned from the conversation since this was asked last."""
        return self._learned(self._rows())

    def _answer(self) -> Iterator[str]:
        body = {"messages": self._messages, "stream": True, "caesar": self._extension()}
        with self._server.stream("/v1/chat/completions", body) as answer:
            self.conversation = answer.headers.get("x-caesar-conversation-id") or self.conversation
            self._audit_id = answer.headers.get("x-caesar-audit-id", "")
            for line in lines_of(answer):
                if line == "data: [DONE]":
                    return
                if line.startswith("data: "):
                    yield from _pieces(json.loads(line.removeprefix("data: ")))
        raise CallFailed("The answer broke off before its end.")

    def _extension(self) -> dict[str, str]:
        memory = "off" if self._off_record else None
        given = {"space": self._space, "conversation_id": self.conversation, "memory": memory}
        return {name: value for name, value in given.items() if value is not None}

    def _rows(self, most: int = MOST_ROWS) -> list[dict[str, Any]]:
        """The log of this conversation, newest first."""
        if self.conversation is None:
            return []
        found = self._server.call("GET", "/v1/audit", conversation_id=self.conversation, page_size=most)
        return list(found["results"])

    def _learned(self, rows: list[dict[str, Any]]) -> list[str]:
        fresh = [row for row in rows if row["id"] not in self._seen]
        self._seen |= {row["id"] for row in fresh}
        return [_in_words(row) for row in reversed(fresh) if row["event_type"] in LEARNED]

    def _given(self, chat: dict[str, Any]) -> Given:
        """What the question asked for comes first, then past conversations, then what every chat is given."""
        facts, episodes = chat.get("facts", []), chat.get("episodes", [])
        asked = [each for each in facts if each in chat.get("asked_for", {})]
        notes = self._facts(asked[:MOST_SHOWN])
        if len(notes) < MOST_SHOWN and episodes:
            notes += self._episodes(episodes)
        if len(notes) < MOST_SHOWN:
            notes += self._facts([each for each in facts if each not in asked][: MOST_SHOWN - len(notes)])
        return Given(tuple(notes[:MOST_SHOWN]), len(facts) + len(episodes), bool(chat.get("recall_failed")))

    def _facts(self, ids: list[str]) -> list[str]:
        """As sentences; what was deleted meanwhile is left out."""
        found = []
        for each in ids:
            with suppress(CallFailed):
                found.append(str(self._server.call("GET", f"/v1/facts/{each}")["text"]))
        return found

    def _episodes(self, ids: list[str]) -> list[str]:
        listed = self._server.call("GET", "/v1/episodes", page_size=MOST_EPISODES)["results"]
        return [str(each["summary"]) for each in listed if each["id"] in ids]


def _said(row: dict[str, Any]) -> list[dict[str, str]]:
    """A turn as a model is sent it. One that was masked or cut when it was kept is left out: sent again, its words
    would be taken for new ones."""
    chat = row["payload"]
    said = [each for each in chat.get("messages", []) if each.get("role") == "user" and not each.get("known")]
    texts = [*(str(each.get("text", "")) for each in said), str(chat.get("answer", {}).get("text", ""))]
    if chat.get("redacted") or not all(texts) or any(map(was_cut, texts)):
        return []
    roles = ["user"] * len(said) + ["assistant"]
    return [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]


def _pieces(event: dict[str, Any]) -> Iterator[str]:
    """The text of a server-sent event. Raises CallFailed for one that tells of an error."""
    if "error" in event:
        raise CallFailed(str(event["error"].get("message", event["error"])))
    for choice in event.get("choices", []):
        if text := (choice.get("delta") or {}).get("content"):
            yield text


def _in_words(row: dict[str, Any]) -> str:
    told = row["payload"]
    what = ": ".join(str(told[name]) for name in ("key", "value") if told.get(name))
    closes = row["event_type"] == "memory.fact.proposed" and told.get("op") == "retract"
    return f"{LEARNED[row['event_type']]}: {what or 'something'}{' (no longer so)' if closes else ''}"
