"""What reading costs: a conversation of twenty turns whose client sends the whole history with each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from bench.stack import Stack, model_in_force, person
from bench.tables import table

TURNS = 20
CHARACTERS_PER_TOKEN = 4
ASKED = "In the {n}. week of our move I want to pack the kitchen of flat {n}, and my sister Mara helps me with it."
ANSWERED = (
    "Then begin week {n} with what you use least: large pots, the good glasses, books of recipes. Wrap glasses one by "
    "one and stand plates on their edges. Write on each box what is in it and into which room it goes. Keep one box "
    "for the last day: two cups, a kettle, a knife, soap and a towel. If Mara comes in the morning, let one of you "
    "wrap while the other packs; two people who do both get into each other's way. Heavy things go into small boxes."
)
COLUMNS = ["calls", "calls/turn", "tokens/turn", "naive", "times fewer"]
History = list[dict[str, str]]


def run(stack: Stack) -> None:
    """One poll after each turn, after every second and after every fourth."""
    rows = {}
    for between in (1, 2, 4):
        calls, characters, history = _talk(between)
        naive = _naive(history)
        tokens = characters / CHARACTERS_PER_TOKEN / TURNS
        rows[f"a poll every {between}. turn" if between > 1 else "a poll every turn"] = [
            calls,
            calls / TURNS,
            tokens,
            naive / CHARACTERS_PER_TOKEN / TURNS,
            naive / characters,
        ]
    table(f"Reading a conversation of {TURNS} turns for facts and its summary, input tokens", COLUMNS, rows)


def _talk(between: int) -> tuple[int, int, History]:
    """(calls to the model, characters sent to it, the conversation)."""
    from memory import chats
    from tests.scripted_model import ScriptedModel
    from workers import tasks

    profile_id = person(f"bench-cost-{between}")[1]
    history: History = []
    with ScriptedModel() as model, model_in_force(model.url):
        fact = {"key": "move.helper", "value": "Mara", "confidence": 0.9}
        model.extraction(json.dumps({"facts": [fact], "summary": "They pack one kitchen a week, with Mara's help."}))
        for n in range(TURNS):
            history.append({"role": "user", "content": ASKED.format(n=n)})
            turn = chats.begin(profile_id=profile_id, messages=history)
            chats.finish(turn, chats.Answer(text=ANSWERED.format(n=n), model="scripted"))
            history.append({"role": "assistant", "content": ANSWERED.format(n=n)})
            if (n + 1) % between == 0:
                tasks.drain()
        requests = list(model.requests)
    return len(requests), sum(_characters(request.messages) for request in requests), history


def _naive(history: History) -> int:
    """Characters of one extraction and one summary for each turn, over all that was sent with it."""
    from memory.domain.prompt import extraction_messages
    from memory.domain.types import Message

    total = 0
    for turn in range(TURNS):
        sent = [Message(m["role"], m["content"]) for m in history[: 2 * turn + 2]]
        for facts in (True, False):
            asked = extraction_messages(
                messages=sent,
                known_keys=[],
                chat_time=datetime.now(UTC),
                timezone=UTC,
                language=None,
                want_facts=facts,
                want_summary=not facts,
            )
            total += _characters(asked)
    return total


def _characters(messages: Sequence[dict[str, str]]) -> int:
    return sum(len(message["content"]) for message in messages)
