"""Whatever is sent is taken, or refused as wrong input; nothing else happens."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caesar.chat import inject, request, wire
from memory import chats
from memory.errors import InvalidInput

TEXT = st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXT, children, max_size=3),
    max_leaves=8,
)
ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "function", "x"])
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url", "x"])}, optional={"text": VALUES}) | VALUES,
    max_size=3,
)
MESSAGES = st.fixed_dictionaries(
    {"role": ROLES | VALUES},
    optional={"content": TEXT | PARTS | VALUES, "tool_calls": VALUES, "tool_call_id": VALUES, "id": VALUES},
)
BODIES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES | VALUES, max_size=4) | VALUES},
    optional={
        **dict.fromkeys(("model", "user", "stream", "space", "conversation_id", "memory", "x"), VALUES),
        "caesar": st.dictionaries(st.sampled_from(["space", "conversation_id", "memory", "x"]), VALUES) | VALUES,
    },
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=BODIES)
def test_it_takes_a_body_or_refuses_it(database: Any, body: dict[str, Any]) -> None:
    raw = json.dumps(body).encode()
    for read in (request.native, request.openai):
        with suppress(InvalidInput):
            call = read(wire.parse(raw))
            chats.parsed(call.messages)
            assert inject.with_memory(call.messages, system_prompt="P", block="B")


@settings(max_examples=300, deadline=None)
@given(raw=st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_it_parses_bytes_or_refuses_them(raw: bytes) -> None:
    with suppress(InvalidInput):
        wire.dumps(wire.parse(raw))
